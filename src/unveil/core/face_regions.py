"""The 15 regions into which a face is divided, as landmarks of MediaPipe's face mesh.

FairDeFace names the regions (figures 5 to 7) but its lists of landmarks were not released; this table is our own.
Left and right are those of the *person*, as in MediaPipe: the person's right eye is on the left of a picture.

Eyes, eyebrows and the whole nose are the landmarks that MediaPipe itself calls so; the lips are its lips, upper
and lower, with the outer corners in both. The others follow the canonical face: forehead above the brows up to the
edge of the mesh; cheek from below the eye to the fold beside the mouth; jaw from below the ear to the chin; chin
below the lower lip. Bridge and tip lie on the nose; no other regions overlap on the canonical face. The drawing
``docs/images/face-regions.png`` shows them (``tools/draw_face_regions.py``).
"""

from __future__ import annotations

from collections.abc import Mapping

REGIONS: Mapping[str, tuple[int, ...]] = {
    "Nose Bridge": (3, 6, 122, 168, 193, 195, 196, 197, 248, 351, 417, 419),
    "Nose Tip": (1, 4, 5, 19, 44, 45, 51, 125, 220, 274, 275, 281, 354, 440),
    "Forehead": (10, 54, 67, 68, 69, 103, 104, 108, 109, 151, 284, 297, 298, 299, 332, 333, 337, 338),
    "Nose": (
        *(1, 2, 4, 5, 6, 19, 45, 48, 64, 94, 97, 98, 115, 168, 195, 197, 220, 275, 278, 294, 326, 327, 344, 440),
    ),
    "Right Eyebrow": (46, 52, 53, 55, 63, 65, 66, 70, 105, 107),
    "Right Cheek": (36, 50, 100, 101, 116, 117, 118, 119, 123, 147, 187, 205, 206, 207),
    "Upper Lip": (
        *(0, 13, 37, 39, 40, 61, 78, 80, 81, 82, 185, 191, 267, 269, 270, 291, 308, 310, 311, 312, 409, 415),
    ),
    "Left Eyebrow": (276, 282, 283, 285, 293, 295, 296, 300, 334, 336),
    "Left Jaw": (288, 361, 364, 365, 367, 378, 379, 394, 395, 397, 401, 416, 433, 435),
    "Left Eye": (249, 263, 362, 373, 374, 380, 381, 382, 384, 385, 386, 387, 388, 390, 398, 466),
    "Right Eye": (7, 33, 133, 144, 145, 153, 154, 155, 157, 158, 159, 160, 161, 163, 173, 246),
    "Lower Lip": (*(14, 17, 61, 84, 87, 88, 91, 95, 146, 178, 181, 291, 314, 317, 318, 321, 324, 375, 402, 405),),
    "Right Jaw": (58, 132, 135, 136, 138, 149, 150, 169, 170, 172, 177, 192, 213, 215),
    "Left Cheek": (266, 280, 329, 330, 345, 346, 347, 348, 352, 376, 411, 425, 426, 427),
    "Chin": (18, 32, 83, 140, 148, 152, 171, 175, 176, 199, 200, 201, 208, 262, 313, 369, 377, 396, 400, 421, 428),
}
"""Region -> landmarks whose convex hull it is, in the order of the published figures."""

MESH_POINTS = 468
"""Landmarks of the mesh; those that a landmarker gives beyond it (the irises) are not used."""
