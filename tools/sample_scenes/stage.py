"""Sets a scene up: who stands where, seen from where, with which objects behind."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from sample_scenes import body as bodies
from sample_scenes import road, travel, wardrobe
from sample_scenes.light import SCENERY, SIZE, Item, person_item
from sample_scenes.paint import Look
from sample_scenes.places import PLACES, Place
from sample_scenes.shapes import Array
from sample_scenes.wear import worn

from unveil.methods.mesh_raster import Camera

FOCAL = 300.0
LENGTH = {"bicycle": 1.8, "car": 4.3, "motorcycle": 2.0, "airplane": 23.0, "bus": 9.3, "train": 16.0, "truck": 7.2, "boat": 6.4}
MAKERS = {
    "bicycle": road.bicycle, "car": road.car, "motorcycle": road.motorcycle, "bus": road.bus, "truck": road.truck,
    "airplane": travel.airplane, "train": travel.train, "boat": travel.boat,
}  # fmt: skip
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
    gender: str
    tone: str
    look: Look
    child: bool
    front: bool
    framing: str
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
    cast = _cast(plan, rng)
    eye, far = rng.uniform(1.15, 1.75), 8.0
    horizon = rng.uniform(70, 110)
    if cast:
        main = cast[0]
        framing = main[2]
        shown = FRAMINGS[framing]
        height = float(main[1].vertices[:, 2].max() if main[0].gear != "wheelchair" else main[1].vertices[:, 2].max() + 0.02)
        top = rng.uniform(8, 36)
        pixels = rng.uniform(0.52, 0.86) * SIZE[1] if framing == "whole" else (SIZE[1] - top) / shown
        top = min(top, SIZE[1] - pixels - 6) if framing == "whole" else top
        far = FOCAL * height / pixels
        eye = float(np.clip(eye, 0.55 * height, 1.1 * height + 0.1))
        horizon = top + FOCAL * (height - eye) / far
    camera = Camera(np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]]), np.array([0.0, eye, 0.0]), FOCAL, (SIZE[0] / 2, horizon))
    items, actors = _stand(cast, far, rng)
    things, back = _things(plan, items, far, camera, rng)
    deepest = max([far, *(float(actor.keypoints[:, 1].mean()) for actor in actors)])
    place = PLACES[plan.place][0](rng, deepest, max(back, deepest + 7.0))
    items += [Item(prop, SCENERY) for prop in place.props]
    focus = np.array([0.0, far, 0.6]) if not actors else np.append(actors[0].keypoints[11:13].mean(0)[:2], 0.8)
    return Stage(items, camera, place, actors, things, focus)


def _cast(plan: Plan, rng: np.random.Generator) -> list[tuple[Look, bodies.Body, str, bool, wardrobe.Person]]:
    if not plan.kind:
        return []
    framing = str(rng.choice(["whole", "knees", "waist"], p=[0.6, 0.17, 0.23]))
    front = bool(rng.random() < 0.74)
    main = wardrobe.person(rng, plan.gender, plan.tone, adult=plan.kind in ("swim", "devout", "uniform", "scrubs"))
    look = _varied(wardrobe.dressed(main, plan.kind, rng), main, framing, front, rng)
    if look.gear != "none" and framing == "waist":
        framing = "whole" if rng.random() < 0.7 else "knees"
    group = [(main, look, framing, front)]
    others = rng.choice([2, 3]) if plan.kind == "troupe" else int(rng.random() < 0.33)
    for _ in range(others):
        gender, tone = str(rng.choice(wardrobe.GENDERS)), str(rng.choice(wardrobe.TONES))
        kind = plan.kind if plan.kind == "troupe" else str(rng.choice(list(wardrobe.OUTFITS)))
        kind = "casual" if kind == "troupe" and plan.kind != "troupe" else kind
        other = wardrobe.person(rng, gender, tone, adult=kind in ("swim", "devout", "uniform", "scrubs", "troupe"))
        if kind == "troupe":
            dress = replace(look, **{name: getattr(other.look, name) for name in ("skin", "hair", "hair_style", "lips", "iris", "beard", "wrinkles")}, gear="none")
        else:
            dress = wardrobe.dressed(other, kind, rng)
        group.append((other, dress, framing, front if kind == "troupe" else bool(rng.random() < 0.5)))
    cast = []
    for who, dress, frame, faces in group:
        pose = _pose(dress, rng)
        figure = bodies.build(who.phenotype, pose)
        if dress.gear == "wheelchair":
            figure = bodies.placed(figure, x=0, y=0, yaw=0, lift=0.08)
        cast.append((dress, figure, frame, faces, who))
    return cast


def _pose(look: Look, rng: np.random.Generator) -> bodies.Pose:
    if look.gear == "wheelchair":
        return bodies.sitting(rng)
    if look.gear in ("crutches", "cane"):
        return bodies.leaning(rng)
    if look.gear == "walker":
        return bodies.holding(rng)
    pose = bodies.POSES[rng.integers(len(bodies.POSES))](rng)
    if look.skirt is not None and look.skirt[0] > 0.8:
        pose = {bone: turn for bone, turn in pose.items() if "leg" not in bone} | {"upperleg01.L": (0, 4, 0), "upperleg01.R": (0, -4, 0)}
    return pose


def _varied(look: Look, who: wardrobe.Person, framing: str, front: bool, rng: np.random.Generator) -> Look:
    """Aids, signs of faith, covered faces, hats, gloves."""
    aids = ["wheelchair", "wheelchair", "crutches", "cane", "walker"]
    if look.leg > -0.4 and look.bottom is not None and look.shoes is not None and framing == "whole":
        aids += ["blade", "blade"]
    if look.kind not in ("sealed", "troupe", "devout") and rng.random() < 0.17:
        gear = str(rng.choice(aids))
        long = look.skirt is not None and look.skirt[0] > 0.6
        look = replace(look, gear="crutches" if long and gear == "wheelchair" else gear)
    if look.kind in ("casual", "formal", "ethnic", "scrubs") and rng.random() < 0.24:
        if who.woman and rng.random() < 0.7:
            look = replace(look, headwear="scarf", headwear_colour=wardrobe.one_of(rng, wardrobe.BRIGHT), neckline="high" if look.top and look.neckline != "wide" else look.neckline)
        elif not who.woman and rng.random() < 0.65:
            look = replace(look, headwear="turban", headwear_colour=wardrobe.one_of(rng, wardrobe.BRIGHT), beard=True)
        elif front:
            look = replace(look, marks=look.marks | {"cross"})
    if look.kind == "scrubs" and rng.random() < 0.5:
        look = replace(look, cover="mask", gloves=(0.25, 0.45, 0.75) if rng.random() < 0.6 else None)
    if look.kind == "casual" and look.headwear == "none" and rng.random() < 0.3:
        hat = str(rng.choice(["cap", "beanie", "straw"]))
        look = replace(look, headwear=hat, headwear_colour=wardrobe.one_of(rng, wardrobe.BRIGHT))
    if look.kind in ("casual", "uniform", "sports") and look.headwear in ("none", "peaked", "cap") and rng.random() < 0.1:
        look = replace(look, headwear="helmet", headwear_colour=wardrobe.one_of(rng, wardrobe.BRIGHT), cover="visor")
    if look.kind in ("ethnic", "casual") and look.headwear == "scarf" and rng.random() < 0.3:
        look = replace(look, cover="veil")
    if look.sleeve > 1.7 and look.gloves is None and rng.random() < 0.45:
        look = replace(look, gloves=wardrobe.one_of(rng, (wardrobe.DARK, wardrobe.WHITE, *wardrobe.JEANS)))
    return look


def _stand(cast: list, far: float, rng: np.random.Generator) -> tuple[list[Item], list[Actor]]:
    items, actors = [], []
    half = SIZE[0] / 2 / FOCAL
    x = rng.uniform(-0.5, 0.5) * half * far if cast else 0.0
    gap = rng.uniform(0.75, 1.0)
    for number, (dress, figure, framing, front, who) in enumerate(cast):
        distance = far if number == 0 else far + (rng.uniform(0.15, 0.5) if dress.kind == "troupe" else rng.uniform(0.5, 2.2))
        if number:
            side = -np.sign(x) if number == 1 else (np.sign(x) if number == 2 else -np.sign(x) * 2)
            at = x * distance / far + (side or 1.0) * (gap + 0.25 * (distance - far))
        else:
            at = x
        yaw = rng.uniform(-0.6, 0.6) + (0.0 if front else np.pi)
        figure = bodies.placed(figure, x=at, y=distance, yaw=yaw)
        items.append(person_item(figure, worn(dress, figure, rng), dress, number))
        actors.append(Actor(number, who.gender, who.tone, dress, who.age < 0.5, front, framing, figure.keypoints))
    return items, actors


def _things(plan: Plan, items: list[Item], far: float, camera: Camera, rng: np.random.Generator) -> tuple[list[tuple[int, str]], float]:
    """Put the objects behind (or beside) the people; gives them and the distance where buildings may begin."""
    things: list[tuple[int, str]] = []
    half, taken, back = SIZE[0] / 2 / FOCAL, [], far + 7.0
    left = bool(items and np.mean(items[0].mesh.vertices[:, 0]) > 0)
    for number, name in enumerate(plan.objects):
        owner = 100 + number
        if name == "traffic light":
            lamps, post = road.traffic_light(rng)
            y = max(far + 0.6, rng.uniform(4.2, 9.0))
            x = (-1 if left ^ (number % 2 == 1) else 1) * rng.uniform(0.3, 0.85) * half * y
            turned = rng.uniform(-0.5, 0.5)
            items += [Item(lamps.placed(x=x, y=y, yaw=turned), owner), Item(post.placed(x=x, y=y, yaw=turned), SCENERY - 1)]
            things.append((owner, name))
            continue
        model = MAKERS[name](rng)
        length = float(np.ptp(model.vertices[:, 0]))
        wide = rng.uniform(0.34, 0.8) * SIZE[0] if name in ("airplane", "train", "bus") else rng.uniform(0.24, 0.6) * SIZE[0]
        lift, turned = 0.0, rng.uniform(-0.45, 0.45) + rng.choice([0.0, np.pi])
        if name in ("train", "boat"):
            turned = rng.choice([0.0, np.pi]) + (0.0 if name == "train" else rng.uniform(-0.5, 0.5))
        y = max(FOCAL * length / wide, far + 1.0 + 0.5 * float(np.ptp(model.vertices[:, 1])) + 0.35 * length * abs(np.sin(turned)))
        y = min(y, 70.0)
        if name == "boat":
            y, lift = max(y, far + 4.4), -0.02
        x = (-1 if left ^ (number % 2 == 1) else 1) * rng.uniform(0.15, 0.7) * half * y
        if name == "train":
            x *= 0.5
        if name == "airplane" and (plan.place in ("park", "beach") or rng.random() < 0.2):
            y, lift = max(y, 30.0), rng.uniform(0.12, 0.2) * max(y, 30.0)
        for other_x, other_y, other_r in taken:
            if np.hypot(x - other_x, y - other_y) < length / 2 + other_r + 0.4:
                y = other_y + other_r + length / 2 + 0.5
        taken.append((x, y, length / 2))
        if lift <= 0:
            back = max(back, y if name == "train" else y + 1.6 + length * 0.3)
        items.append(Item(model.placed(x=x, y=y, z=lift, yaw=turned), owner))
        things.append((owner, name))
    return things, back
