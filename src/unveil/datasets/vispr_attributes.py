"""The 68 attributes of VISPR by id, in its order, and the 7 of the baseline.

Source: Orekondy, Schiele, Fritz: Towards a Visual Privacy Advisor, ICCV 2017; the table ``attributes.tsv`` of its
repository tribhuvanesh/vpa. An id holds the attribute's number and name; the numbers have gaps.
"""

from __future__ import annotations

from collections.abc import Mapping

from unveil.core.scenes import VISPR_LABELS

SAFE = "a0_safe"
"""No privacy attribute at all. It should stand alone, and does in all but 17 of the 22,167 annotations."""

ATTRIBUTES = (
    "a0_safe", "a1_age_approx", "a2_weight_approx", "a3_height_approx", "a4_gender", "a5_eye_color",
    "a6_hair_color", "a7_fingerprint", "a8_signature", "a9_face_complete", "a10_face_partial", "a11_tattoo",
    "a12_semi_nudity", "a13_full_nudity", "a16_race", "a17_color", "a18_ethnic_clothing", "a19_name_full",
    "a20_name_first", "a21_name_last", "a23_birth_city", "a24_birth_date", "a25_nationality",
    "a26_handwriting", "a27_marital_status", "a29_ausweis", "a30_credit_card", "a31_passport",
    "a32_drivers_license", "a33_student_id", "a35_mail", "a37_receipt", "a38_ticket",
    "a39_disability_physical", "a41_injury", "a43_medicine", "a46_occupation", "a48_occassion_work",
    "a49_phone", "a55_religion", "a56_sexual_orientation", "a57_culture", "a58_hobbies", "a59_sports",
    "a60_occassion_personal", "a61_opinion_general", "a62_opinion_political", "a70_education_history",
    "a99_legal_involvement", "a64_rel_personal", "a65_rel_social", "a66_rel_professional",
    "a67_rel_competitors", "a68_rel_spectators", "a69_rel_views", "a73_landmark",
    "a74_address_current_complete", "a75_address_current_partial", "a78_address_home_complete",
    "a79_address_home_partial", "a82_date_time", "a85_username", "a90_email", "a92_email_content",
    "a97_online_conversation", "a102_vehicle_ownership", "a103_license_plate_complete",
    "a104_license_plate_partial",
)  # fmt: skip

BASELINE: Mapping[str, str] = dict(
    zip(
        ("a17_color", "a4_gender", "a10_face_partial", "a9_face_complete", "a12_semi_nudity", "a64_rel_personal",
         "a65_rel_social"),
        VISPR_LABELS,
        strict=True,
    )
)  # fmt: skip
"""Attribute -> privacy label of the baseline with 7 labels."""
