"""How good the attacker is: recognizers and detectors on unprotected photos, and which of them was chosen."""
