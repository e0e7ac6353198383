"""What HR-VISPR takes from VISPR's attributes, and what it leaves out: tables to be reviewed.

The derivation is described in words only; which attribute is which label stands nowhere. The reuse follows the
names in VISPR's own table. The eight published examples of label vectors agree with it, among them one picture
each with a disability (a39), a sport (a59) and a religion (a55). They also show what is kept: pictures with
a27_marital_status, a46_occupation, a70_education_history and a73_landmark are among them.
"""

from __future__ import annotations

from collections.abc import Mapping

REUSED: Mapping[str, tuple[str, ...]] = {
    "age": ("a1_age_approx",),
    "face": ("a9_face_complete", "a10_face_partial"),
    "skin color": ("a17_color",),
    "hair color": ("a6_hair_color",),
    "gender": ("a4_gender",),
    "race": ("a16_race",),
    "nudity": ("a12_semi_nudity", "a13_full_nudity"),
    "height": ("a3_height_approx",),
    "weight": ("a2_weight_approx",),
    "disability": ("a39_disability_physical",),
    "ethnic clothing": ("a18_ethnic_clothing",),
    "sports": ("a59_sports",),
    "religion": ("a55_religion",),
}
"""Label -> attributes of which one is enough: 13 labels from 15 attributes (steps 2 and 3)."""

CLOTHING = ("casual clothing", "formal clothing", "uniforms", "troupe attire", "medical scrubs")
"""Labels that VISPR does not have: somebody must look at the pictures (step 4)."""

_DOCUMENT = "a document fills the picture"
_READ = "is read, not seen: from a document, a screen or a caption"

LEFT_OUT: Mapping[str, str] = {
    "a29_ausweis": _DOCUMENT,
    "a30_credit_card": _DOCUMENT,
    "a31_passport": _DOCUMENT,
    "a32_drivers_license": _DOCUMENT,
    "a33_student_id": _DOCUMENT,
    "a35_mail": _DOCUMENT,
    "a37_receipt": _DOCUMENT,
    "a38_ticket": _DOCUMENT,
    "a8_signature": "handwriting on paper",
    "a26_handwriting": "handwriting on paper",
    "a43_medicine": "a prescription or the print on a box",
    "a23_birth_city": _READ,
    "a24_birth_date": _READ,
    "a49_phone": _READ,
    "a78_address_home_complete": _READ,
    "a79_address_home_partial": _READ,
    "a85_username": _READ,
    "a90_email": _READ,
    "a92_email_content": _READ,
    "a97_online_conversation": _READ,
}
"""Attribute -> why a picture with it is not visual content alone (step 1).

Kept though they may be read: names (a19 to a21), which stand on shirts and below photos of people, and date and
time (a82), which cameras stamp into photos."""
