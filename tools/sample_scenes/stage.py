"""Sets a scene up: who stands where, seen from where, with which objects behind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sample_scenes import body as bodies
from sample_scenes import road, travel
from sample_scenes.casting import Role, cast
from sample_scenes.fabrics import Look
from sample_scenes.light import SCENERY, SIZE, Item, person_item
from sample_scenes.places import PLACES
from sample_scenes.shapes import Array, Mesh
from sample_scenes.wear import worn
from sample_scenes.weather import Place
from unveil.methods.mesh_raster import Camera

FOCAL = 300.0
HALF = SIZE[0] / 2 / FOCAL
"""Half of the width that is seen at a distance of one metre."""
MAKERS = {
    "bicycle": road.bicycle,
    "car": road.car,
    "motorcycle": road.motorcycle,
    "bus": road.bus,
    "truck": road.truck,
    "airplane": travel.airplane,
    "train": travel.train,
    "boat": travel.boat,
}
SHORES = ("harbour", "beach", "station")
"""Places where the ground ends behind the people."""
FRAMINGS = {"whole": 1.0, "knees": 0.74, "waist": 0.52}
"""How much of the person, from the top of the head, is in the picture."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a picture is to show.

    Attributes:
        place: name in `PLACES`.
        gender, tone: of the main person; empty for a picture without people.
        kind: outfit of the main person; empty for a picture without people.
        objects: classes.
    """

    place: str
    gender: str
    tone: str
    kind: str
    objects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Actor:
    """A person in the scene: what decides the labels."""

    owner: int
    look: Look
    child: bool
    front: bool
    keypoints: Array


@dataclass(frozen=True, slots=True)
class Stage:
    """A scene ready to be rendered; ``things`` are (owner, class)."""

    items: list[Item]
    camera: Camera
    place: Place
    actors: list[Actor]
    things: list[tuple[int, str]]
    focus: Array


def setup(plan: Plan, rng: np.random.Generator) -> Stage:
    """Draw everything the plan leaves open."""
    roles = cast(plan.kind, plan.gender, plan.tone, rng)
    eye, far = rng.uniform(1.15, 1.75), 8.0
    horizon = rng.uniform(70, 110)
    if roles:
        main = roles[0]
        height = float(main.body.vertices[:, 2].max())
        top = rng.uniform(8, 36)
        pixels = (SIZE[1] - top) / FRAMINGS[main.framing]
        if main.framing == "whole":
            pixels = rng.uniform(0.52, 0.86) * SIZE[1]
            top = min(top, SIZE[1] - pixels - 6)
        far = FOCAL * height / pixels
        eye = float(np.clip(eye, 0.55 * height, 1.1 * height + 0.1))
        horizon = top + FOCAL * (height - eye) / far
    camera = Camera(
        np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]]),
        np.array([0.0, eye, 0.0]),
        FOCAL,
        (SIZE[0] / 2, horizon),
    )
    items, actors = _stand(roles, far, rng)
    deepest = max([far, *(float(actor.keypoints[:, 1].mean()) for actor in actors)])
    things, firm, back = _things(plan, items, deepest, rng)
    place = PLACES[plan.place][0](rng, firm, max(back, firm + 7.0))
    items += [Item(prop, SCENERY) for prop in place.props]
    focus = np.array([0.0, far, 0.6]) if not actors else np.append(actors[0].keypoints[11:13].mean(0)[:2], 0.8)
    return Stage(items, camera, place, actors, things, focus)


def _stand(roles: list[Role], far: float, rng: np.random.Generator) -> tuple[list[Item], list[Actor]]:
    items, actors = [], []
    x = rng.uniform(-0.5, 0.5) * HALF * far if roles else 0.0
    gap = rng.uniform(0.75, 1.0)
    for number, role in enumerate(roles):
        at, distance = x, far
        if number:
            distance += rng.uniform(0.15, 0.5) if role.look.kind == "troupe" else rng.uniform(0.5, 2.2)
            side = (np.sign(x) or 1.0) * (-1, 1, -2)[number - 1]
            at = x * distance / far + side * (gap + 0.25 * (distance - far))
        yaw = rng.uniform(-0.6, 0.6) + (0.0 if role.front else np.pi)
        figure = bodies.placed(role.body, x=at, y=distance, yaw=yaw)
        items.append(person_item(figure, worn(role.look, figure), role.look, number))
        actors.append(Actor(number, role.look, role.who.age < 0.5, role.front, figure.keypoints))
    return items, actors


def _things(
    plan: Plan, items: list[Item], far: float, rng: np.random.Generator
) -> tuple[list[tuple[int, str]], float, float]:
    """Put the objects behind the people.

    Returns:
        The objects, how far the ground on which people stand must reach, where buildings may begin.
    """
    things: list[tuple[int, str]] = []
    taken: list[tuple[float, float, float]] = []
    firm, back = far, far + 7.0
    left = bool(items and np.mean(items[0].mesh.vertices[:, 0]) > 0)
    for number, name in enumerate(plan.objects):
        owner, side = 100 + number, -1 if left ^ (number % 2 == 1) else 1
        things.append((owner, name))
        if name == "traffic light":
            lamps, post = road.traffic_light(rng)
            y = max(far + 0.6, rng.uniform(4.2, 9.0))
            at = {"x": side * rng.uniform(0.3, 0.85) * HALF * y, "y": y, "yaw": rng.uniform(-0.5, 0.5)}
            items += [Item(lamps.placed(**at), owner), Item(post.placed(**at), SCENERY - 1)]
            continue
        model = MAKERS[name](rng)
        length = float(np.ptp(model.vertices[:, 0]))
        x, y, lift, turned = _spot(name, plan.place, model, far, rng)
        x *= side
        for other_x, other_y, other_r in taken:
            if np.hypot(x - other_x, y - other_y) < length / 2 + other_r + 0.4:
                y = other_y + other_r + length / 2 + 0.5
        taken.append((x, y, length / 2))
        if plan.place in SHORES and name == "bicycle":
            firm = max(firm, y + 0.4)
        if lift <= 0:
            back = max(back, y if name == "train" else y + 1.6 + length * 0.3)
        items.append(Item(model.placed(x=x, y=y, z=lift, yaw=turned), owner))
    return things, firm, back


def _spot(
    name: str, place: str, model: Mesh, far: float, rng: np.random.Generator
) -> tuple[float, float, float, float]:
    """Where an object goes: how far to the side, distance, height above the ground, direction."""
    length, breadth = np.ptp(model.vertices[:, :2], axis=0).tolist()
    share = rng.uniform(0.34, 0.8) if name in ("airplane", "train", "bus") else rng.uniform(0.24, 0.6)
    turned = rng.choice([0.0, np.pi]) + rng.uniform(-0.45, 0.45) * (name != "train")
    y = max(FOCAL * length / (share * SIZE[0]), far + 1.0 + 0.5 * breadth + 0.35 * length * abs(np.sin(turned)))
    y, lift = min(y, 70.0), 0.0
    if name == "bicycle" and place in SHORES:
        y = min(y, far + 2.0)
    if name == "boat":
        y, lift = max(y, far + 4.6), -0.02
    if name == "airplane" and (place in ("park", "beach") or rng.random() < 0.2):
        y = max(y, 30.0)
        lift = rng.uniform(0.12, 0.2) * y
    return rng.uniform(0.15, 0.7) * HALF * y * (0.5 if name == "train" else 1.0), y, lift, turned
