"""What a method leaves of the picture: likeness, sharpness, landmarks, and the distance of sets of pictures."""
