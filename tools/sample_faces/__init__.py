"""How the pictures of the dataset ``sample-faces`` are made and judged; run ``tools/build_sample_faces.py``."""
