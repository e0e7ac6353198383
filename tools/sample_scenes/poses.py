"""Poses: rotations of bones in degrees."""

from __future__ import annotations

import numpy as np

from sample_scenes.body import Pose


def standing(rng: np.random.Generator) -> Pose:
    """Upright with the arms down; a little different every time."""
    close = rng.uniform(2, 7)
    arms = rng.uniform(26, 36)
    bend = rng.uniform(5, 25)
    pose = _arms(arms, arms, bend, bend)
    pose |= {"upperleg01.L": (0, close, 0), "upperleg01.R": (0, -close, 0)}
    return pose | _head(rng)


def _arms(left: float, right: float, bend_left: float, bend_right: float) -> Pose:
    return {
        "upperarm01.L": (0, left, 0),
        "upperarm01.R": (0, -right, 0),
        "lowerarm01.L": (-0.74 * bend_left, 0, -0.67 * bend_left),
        "lowerarm01.R": (-0.74 * bend_right, 0, 0.67 * bend_right),
    }


def _head(rng: np.random.Generator) -> Pose:
    return {"head": (rng.uniform(-6, 10), rng.uniform(-5, 5), rng.uniform(-14, 14))}


def walking(rng: np.random.Generator) -> Pose:
    """In the middle of a step."""
    stride, sign = rng.uniform(14, 28), rng.choice([-1.0, 1.0])
    pose = standing(rng)
    swing = stride * 0.8
    pose |= {
        "upperleg01.L": (-stride * sign, 4, 0),
        "upperleg01.R": (stride * sign, -4, 0),
        "lowerleg01.L": (12 + 16 * (sign < 0), 0, 0),
        "lowerleg01.R": (12 + 16 * (sign > 0), 0, 0),
        "upperarm01.L": (swing * sign, 30, 0),
        "upperarm01.R": (-swing * sign, -30, 0),
    }
    return pose


def waving(rng: np.random.Generator) -> Pose:
    """One arm raised."""
    pose = standing(rng)
    up, bend = rng.uniform(-70, -40), rng.uniform(25, 60)
    if rng.random() < 0.5:
        return pose | {"upperarm01.L": (0, up, 0), "lowerarm01.L": (0, -bend, 0)}
    return pose | {"upperarm01.R": (0, -up, 0), "lowerarm01.R": (0, bend, 0)}


def akimbo(rng: np.random.Generator) -> Pose:
    """Hands towards the hips."""
    pose = standing(rng)
    out, bend = rng.uniform(2, 10), rng.uniform(55, 75)
    return pose | {
        "upperarm01.L": (8, out, 0),
        "upperarm01.R": (8, -out, 0),
        "lowerarm01.L": (-0.3 * bend, bend, 0),
        "lowerarm01.R": (-0.3 * bend, -bend, 0),
    }


def open_arms(rng: np.random.Generator) -> Pose:
    """One arm or both held out a little, as when explaining something."""
    pose = standing(rng)
    return pose | _arms(rng.uniform(0, 32), rng.uniform(8, 32), rng.uniform(30, 70), rng.uniform(10, 70))


def holding(rng: np.random.Generator) -> Pose:
    """Forearms in front, as for holding or reading something."""
    pose = standing(rng)
    return pose | _arms(rng.uniform(26, 34), rng.uniform(26, 34), rng.uniform(60, 100), rng.uniform(30, 100))


def sitting(rng: np.random.Generator) -> Pose:
    """On a chair, hands on the rests."""
    knees = rng.uniform(78, 88)
    pose = _arms(22, 22, 70, 70) | _head(rng)
    return pose | {
        "upperleg01.L": (-knees, 3, 0),
        "upperleg01.R": (-knees, -3, 0),
        "lowerleg01.L": (knees - 8, 0, 0),
        "lowerleg01.R": (knees - 8, 0, 0),
    }


def leaning(rng: np.random.Generator) -> Pose:
    """On crutches or with a stick: arms a little out, elbows bent."""
    pose = standing(rng)
    return pose | _arms(16, 16, 30, 30)


POSES = (standing, standing, walking, walking, waving, akimbo, open_arms, holding)
