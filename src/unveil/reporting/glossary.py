"""What every number in the report means, with its formula. Source: docs/definitions.md."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A column or word of the report: ``formula`` is plain text, empty where there is none."""

    name: str
    formula: str
    meaning: str


OUTCOMES = (
    Term("recognised", "", "The attacker compared the faces and said, rightly: the same person."),
    Term("not recognised", "", "The attacker compared the faces and was wrong, or said: somebody else."),
    Term("not acquired", "", "The attacker found no face in the protected photo, so nothing could be compared."),
    Term("not protected", "", "The method gave no picture: the person stands there unprotected."),
    Term("error", "", "The attempt says nothing about the method, such as a reference without a face. Left out, "
                      "and counted."),
)  # fmt: skip
"""Every attempt of an attacker ends in exactly one of these."""

FACES = (
    Term("Exposure", "(recognised + not protected) / all photos",
         "What a person in the data set really faces. The lower, the better."),
    Term("Strongest attack", "max over evaluations, threat models, components and decision rules",
         "The attack with the highest exposure, chosen for each method. Lists of several candidates (rank 5) are "
         "reported and do not compete, since a longer list contains anybody more often. It is chosen after the "
         "fact; its interval does not allow for the choice."),
    Term("Floor", "1 − strangers told apart; or 1 / people enrolled",
         "The exposure of strangers: how often the same attacker, with the same rule, takes two different people "
         "for one. For identification: guessing. No method can be expected to do better."),
    Term("OSR, faces found", "not recognised / (recognised + not recognised)",
         "Obfuscation success rate in its published form. Blind to photos in which no face was found."),
    Term("OSR, all attempted", "(not recognised + not acquired) / (recognised + not recognised + not acquired)",
         "Obfuscation success rate in which hiding from the detector counts as protection."),
    Term("Recognition rate", "recognised / (recognised + not recognised)",
         "1 − OSR of the faces found. For the unprotected photos: how good the attacker is."),
    Term("Detection rate", "protected photos with at least one face / protected photos",
         "Read as image quality: a picture of a person should still look like one."),
    Term("Best F1, AUC, EER, TPR at FPR", "over mated and non-mated pairs of unprotected photos",
         "Quality of the attacker's recognizer. Non-mated pairs are drawn inside the same demographic group."),
    Term("Pairs compared", "pairs in which both faces were found / all pairs",
         "Comparison rate: a recognizer whose detector finds little is measured on the easy photos."),
    Term("Attribute preserved", "words: same / compared; numbers: 1 − |a − b| / max(a, b); head poses: cosine",
         "What an estimator says of the protected face against what it says of the original, where both were "
         "found. Utility for who needs the attribute, a leak for who wants it hidden."),
    Term("Attribute told rightly", "agreement with the dataset's own value, by the same formulas",
         "Of the unprotected photos: how good the estimator is."),
    Term("Attribute exposed", "(told rightly + not protected) / all photos whose truth is known",
         "What a person in the data set faces. A face that is not found exposes nothing."),
    Term("Always … (attributes)", "one answer for every face: the most frequent word, the median, the mean pose",
         "What an estimator that looks at nothing would score on the same faces, at best. Only what a rate has "
         "above it tells something."),
    Term("FMR", "non-mated pairs accepted / non-mated pairs", "False match rate of a threshold."),
)  # fmt: skip
"""Columns of faces, in the order of the page."""

SCENES = (
    Term("AP", "average precision of one attribute over the test photos",
         "Area under the precision-recall curve of a classifier that tells one privacy attribute, such as age."),
    Term("cMAP", "mean of AP over the attributes",
         "Class-wise mean average precision: how much the attacker's classifier still tells. The lower, the more "
         "private. Attributes that all or none of the test photos show have no AP; they are left out and named."),
    Term("Chance, blind guessing", "photos that show the attribute / photos; its mean over attributes for cMAP",
         "What a classifier that knows nothing reaches: the floor of AP. No method can be expected below it."),
    Term("AP above chance", "(AP − chance) / (1 − chance)",
         "0 for a blind classifier and 1 for a perfect one, however frequent the attribute is."),
    Term("Relative drop", "1 − AP on protected / AP on original photos",
         "What the method takes away from an attacker who was never disturbed. Below zero it helped the attacker. "
         "For cMAP, both means are over the same attributes."),
    Term("Trained on originals", "", "The attacker's classifier, or the detector, learned from unprotected "
         "photos: the published way to measure privacy."),
    Term("Adaptive attacker", "", "Trained on protected photos: who knows the method can protect own photos and "
         "learn from these. For detectors, the published way to measure utility."),
    Term("Strongest attacker", "max over classifiers and trainings",
         "The attacker with the highest cMAP, chosen for each method after the fact; its interval does not allow "
         "for the choice."),
    Term("Person F1", "2 TP / (2 TP + FP + FN) at the detector's own threshold",
         "Utility: are people still found and counted? Matched to the annotated boxes by their overlap. The same "
         "for other object classes."),
    Term("Best trade-off", "", "Pareto-optimal: no other method has at most the same cMAP and at least the same "
         "person F1 and is better in one of them."),
    Term("Similar matches (robustness)", "persons matched and similar / persons found on originals",
         "Who is found at the same place (IoU) and looks the same (SSIM) after protection. Fewer is better. The "
         "thresholds are part of the number's name."),
    Term("CMMD (intelligibility)", "squared maximum mean discrepancy of embeddings × 1000",
         "How far the protected photos are from the originals as a set, seen by the image encoder that is named. "
         "Lower is better. Numbers of different encoders cannot be compared."),
    Term("Frames/s (throughput)", "frames / seconds, median of the repeats",
         "Speed on this machine, alone and warm, for photos of the stated size."),
    Term("Practicality", "w(r) × robustness + w(i) × intelligibility + w(t) × throughput",
         "Weighted sum of the normalised parts; the weights sum to 1."),
    Term("Normalised", "(value − worst) / (best − worst)",
         "With min-max, worst and best are those of the compared methods, so that a score depends on its company; "
         "undefined for a single method. With anchors they are fixed."),
    Term("First under", "", "Share of all possible weights under which a method comes first: how much the ranking "
         "depends on what one finds important."),
)  # fmt: skip
"""Columns of people in scenes, in the order of the page."""

PICTURES = (
    Term("SSIM", "mean structural similarity to the original, at most 1",
         "1 is unchanged. Compares pixel by pixel: another face in the same place is low, well drawn or not."),
    Term("PSNR", "10 log10(255² / mean squared error)", "In decibels. An unchanged picture counts as 100 dB."),
    Term("Sharpness", "1 − blur effect",
         "Tells blur alone: noise and the borders of large pixels count as sharp, too."),
    Term("Perceptual difference", "", "How different a picture and its original look to the network that is "
         "named; 0 is unchanged."),
    Term("FID", "|m₁ − m₂|² + tr(S₁ + S₂ − 2 (S₁ S₂)^½)",
         "Fréchet distance of the protected pictures from the originals as sets, seen by the encoder that is "
         "named. Only with inception-2015 it is the FID of the literature. Larger for fewer pictures: groups are "
         "compared with equal numbers."),
    Term("FID success", "1 − FID of a group / largest FID of the groups",
         "FairDeFace's way to compare groups: the worst group always has 0. It says who is served best, not how "
         "well."),
    Term("KID", "unbiased squared maximum mean discrepancy, cubic kernel",
         "As FID, without its bias for few pictures. It can be below 0."),
    Term("NME", "mean distance of landmarks / distance of the outer eye corners",
         "Of pictures in which a face is found before and after. A method that loses most faces is judged by the "
         "few that are left: read it with landmarks lost."),
    Term("Landmarks lost", "(no face found + NME above 10%) / pictures whose original shows a face",
         "Failure rate of the landmarks."),
)  # fmt: skip
"""Columns about the quality of pictures."""

FOCUS = (
    Term("Focus of a region", "mean heat inside the region, stretched to [0, 1] over the regions of a face",
         "Where the gradients of a recognizer are large. 1 is the region at which it looks most."),
    Term("Strongest region", "faces on which it has the highest focus / faces that show it", "By method and "
         "group; the five strongest in the same way."),
    Term("Correlation of the focus", "mean over faces of Pearson's r between the regions' scores, protected and "
         "original", "1 where the recognizer still looks at the same regions. The value to read it against is "
         "that of a method that leaves nothing to see, not 0."),
)  # fmt: skip
"""Words about where a recognizer looks."""

SHARED = (
    Term("Passing rate", "photos with a result / photos attempted",
         "How often the method gives a picture at all. Failures count as exposed, never as protected."),
    Term("Biased at ε, ratio", "p(a) / p(b) ≤ 1 − ε", "Group a has the lower success than group b. For "
         "exposure, success is 1 − exposure."),
    Term("Biased at ε, difference", "p(a) − p(b) < −ε", "The same by percentage points, as the released scripts "
         "of FairDeFace compute it."),
    Term("Average bias", "biased pairs / (n (n − 1) / 2)", "An exact count over the pairs of the n groups of a "
         "grouping, as published. It does not know chance; the verdicts do."),
    Term("Demographic bias", "groups against which D is disadvantaged / (n − 1)", "The same for one group D."),
    Term("Verdict", "biased | fair within ε | insufficient evidence",
         "Bootstrap by person, Holm-corrected over the pairs of a grouping. Fair needs evidence, too (two "
         "one-sided tests); what shows neither is insufficient evidence."),
    Term("Detectable gap", "", "The smallest true gap that this many people would have shown in 8 of 10 "
         "repetitions."),
    Term("Interval", "", "Bootstrap that resamples people, not photos: photos of one person are not independent."),
    Term("n", "", "Units in the denominator of a rate: photos, pairs, probes or persons; photos × attributes "
         "for cMAP."),
)  # fmt: skip
"""What faces and scenes have in common."""
