"""What estimators still tell of faces: tables, groups and bias of the attribute analysis."""
