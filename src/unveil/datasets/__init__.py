"""Table of the built-in datasets: name -> ("module:Class", preset parameters). Strings only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_BFW = {
    "name": "BFW",
    "pattern": "{race}_{gender}/{identity}/{file}",
    "values": {
        "race": {"white": "White", "black": "Black", "asian": "Asian", "indian": "Indian"},
        "gender": {"females": "Female", "males": "Male"},
    },
    "citation": "Robinson, Livitz, Henon, Qin, Fu, Timoner: Face Recognition: Too Bias, or Not Too Bias?, "
    "CVPR Workshops 2020",
    "licence": "research and education, on registration",
    "url": "https://github.com/visionjo/facerec-bias-bfw",
}

_DEMOGPAIRS = {
    "name": "DemogPairs",
    "pattern": "{race}_{gender}/{identity}/{file}",
    "values": {
        "race": {"White": "White", "Black": "Black", "Asian": "Asian"},
        "gender": {"Females": "Female", "Males": "Male"},
    },
    "citation": "Hupont, Fernandez: DemogPairs: Quantifying the Impact of Demographic Imbalance in Deep Face "
    "Recognition, FG 2019",
    "licence": "research only, on request",
}

COMPONENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "affectnet": ("unveil.datasets.affectnet:AffectNet", {}),
    "agedb": ("unveil.datasets.agedb:AgeDB", {}),
    "bfw": ("unveil.datasets.folder:Folder", _BFW),
    "celeba": ("unveil.datasets.celeba:CelebA", {}),
    "coco": ("unveil.datasets.coco:Coco", {}),
    "demogpairs": ("unveil.datasets.folder:Folder", _DEMOGPAIRS),
    "fairface": ("unveil.datasets.fairface:FairFace", {}),
    "folder": ("unveil.datasets.folder:Folder", {}),
    "hr_vispr": ("unveil.datasets.hr_vispr:HrVispr", {}),
    "lfw": ("unveil.datasets.lfw:LFW", {}),
    "rfw": ("unveil.datasets.rfw:RFW", {}),
    "sample-faces": ("unveil.datasets.samples:SampleFaces", {}),
    "sample-scenes": ("unveil.datasets.samples:SampleScenes", {}),
    "utkface": ("unveil.datasets.utkface:UTKFace", {}),
    "vispr": ("unveil.datasets.vispr:Vispr", {}),
    "vispr.baseline": ("unveil.datasets.vispr:Vispr", {"labels": "baseline"}),
}
