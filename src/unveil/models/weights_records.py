"""The weights that come as single files from elsewhere: one list of what there is, and how to find and get it."""

from __future__ import annotations

from collections.abc import Mapping

from unveil.models.deepface_weights import library_folder
from unveil.models.weights_fetching import fetch
from unveil.models.weights_files import Archive, WeightsRecord, find, hash_of, verify

__all__ = ["RECORDS", "WeightsRecord", "fetch", "find", "hash_of", "verify"]

YOLOX_NANO = WeightsRecord(
    name="yolox_nano.onnx",
    url="https://github.com/Megvii-BaseDetection/YOLOX/releases/download/0.1.1rc0/yolox_nano.onnx",
    sha256="e8af074932d4ed7e232278e3055cefcdea3edf178874a3694ae292649fb464dd",
    size=3678356,
    licence="Apache-2.0",
    citation="Ge, Liu, Wang, Li, Sun: YOLOX: Exceeding YOLO Series in 2021, arXiv:2107.08430, 2021",
    component="object_detector:yolox_nano",
)

YUNET = WeightsRecord(
    name="yunet_2026may.onnx",
    url="https://media.githubusercontent.com/media/opencv/opencv_zoo/main/models/face_detection_yunet/"
    "face_detection_yunet_2026may.onnx",
    sha256="ebafce4e3c118d6554634be5c27ab333b4c047a9a8c3faf1d7cf93101c22f0f0",
    size=229738,
    licence="MIT",
    citation="Wu, Peng, Yu: YuNet: A Tiny Millisecond-level Face Detector, Machine Intelligence Research, 2023",
    component="detector:yunet",
)

SFACE = WeightsRecord(
    name="face_recognition_sface_2021dec.onnx",
    url="https://media.githubusercontent.com/media/opencv/opencv_zoo/main/models/face_recognition_sface/"
    "face_recognition_sface_2021dec.onnx",
    sha256="0ba9fbfa01b5270c96627c4ef784da859931e02f04419c829e83484087c34e79",
    size=38696353,
    licence="Apache-2.0",
    citation="Zhong, Deng, Hu, Zhao, Li, Wen: SFace: Sigmoid-Constrained Hypersphere Loss for Robust Face "
    "Recognition, IEEE Transactions on Image Processing 30, 2021",
    component="recognizer:sface",
)

_INSIGHTFACE = "https://github.com/deepinsight/insightface/releases/download/v0.7"
_NON_COMMERCIAL = "non-commercial research only"
_SCRFD = (
    "Guo, Deng, Lattas, Zafeiriou: Sample and Computation Redistribution for Efficient Face Detection, ICLR 2022; "
)
_ARCFACE = (
    "Deng, Guo, Xue, Zafeiriou: ArcFace: Additive Angular Margin Loss for Deep Face Recognition, CVPR 2019; "
)
_BUFFALO_L = "80ffe37d8a5940d59a7384c201a2a38d4741f2f3c51eef46ebb28218a7b0ca2f"
_BUFFALO_SC = "57d31b56b6ffa911c8a73cfc1707c73cab76efe7f13b675a05223bf42de47c72"
_ANTELOPE_V2 = "8e182f14fc6e80b3bfa375b33eb6cff7ee05d8ef7633e738d1c89021dcf0c5c5"

DET_10G = WeightsRecord(
    name="det_10g.onnx",
    url=f"{_INSIGHTFACE}/buffalo_l.zip",
    sha256="5838f7fe053675b1c7a08b633df49e7af5495cee0493c7dcf6697200b85b5b91",
    size=16923827,
    licence=_NON_COMMERCIAL,
    citation=f"{_SCRFD}SCRFD-10GF with key points",
    component="detector:insightface.scrfd",
    archive=Archive(_BUFFALO_L, "det_10g.onnx"),
)

DET_500M = WeightsRecord(
    name="det_500m.onnx",
    url=f"{_INSIGHTFACE}/buffalo_sc.zip",
    sha256="5e4447f50245bbd7966bd6c0fa52938c61474a04ec7def48753668a9d8b4ea3a",
    size=2524817,
    licence=_NON_COMMERCIAL,
    citation=f"{_SCRFD}SCRFD-500MF with key points",
    component="detector:insightface.scrfd",
    archive=Archive(_BUFFALO_SC, "det_500m.onnx"),
)

W600K_R50 = WeightsRecord(
    name="w600k_r50.onnx",
    url=f"{_INSIGHTFACE}/buffalo_l.zip",
    sha256="4c06341c33c2ca1f86781dab0e829f88ad5b64be9fba56e56bc9ebdefc619e43",
    size=174383860,
    licence=_NON_COMMERCIAL,
    citation=f"{_ARCFACE}ResNet-50, WebFace600K",
    component="recognizer:insightface.arcface",
    archive=Archive(_BUFFALO_L, "w600k_r50.onnx"),
)

W600K_MBF = WeightsRecord(
    name="w600k_mbf.onnx",
    url=f"{_INSIGHTFACE}/buffalo_sc.zip",
    sha256="9cc6e4a75f0e2bf0b1aed94578f144d15175f357bdc05e815e5c4a02b319eb4f",
    size=13616099,
    licence=_NON_COMMERCIAL,
    citation=f"{_ARCFACE}MobileFaceNet, WebFace600K",
    component="recognizer:insightface.arcface",
    archive=Archive(_BUFFALO_SC, "w600k_mbf.onnx"),
)

GLINTR100 = WeightsRecord(
    name="glintr100.onnx",
    url=f"{_INSIGHTFACE}/antelopev2.zip",
    sha256="4ab1d6435d639628a6f3e5008dd4f929edf4c4124b1a7169e1048f9fef534cdf",
    size=260665334,
    licence=_NON_COMMERCIAL,
    citation=f"{_ARCFACE}ResNet-100, Glint360K",
    component="recognizer:insightface.arcface",
    archive=Archive(_ANTELOPE_V2, "antelopev2/glintr100.onnx"),
)

FACE_LANDMARKER = WeightsRecord(
    name="face_landmarker.task",
    url="https://storage.googleapis.com/mediapipe-models/face_landmarker/face_landmarker/float16/1/"
    "face_landmarker.task",
    sha256="64184e229b263107bc2b804c6625db1341ff2bb731874b0bcc2fe6544e0bc9ff",
    size=3758596,
    licence="Apache-2.0",
    citation="Google: MediaPipe FaceLandmarker, float16, version 1",
    component="estimator:face_landmarker",
)

INCEPTION_2015 = WeightsRecord(
    name="pt_inception-2015-12-05-6726825d.pth",
    url="https://github.com/mseitzer/pytorch-fid/releases/download/fid_weights/"
    "pt_inception-2015-12-05-6726825d.pth",
    sha256="6726825d0af5f729cebd5821db510b11b1cfad8faad88a03f1befd49fb9129b2",
    size=95628359,
    licence="Apache-2.0",
    citation="Szegedy, Vanhoucke, Ioffe, Shlens, Wojna: Rethinking the Inception Architecture for Computer "
    "Vision, CVPR 2016; network of 5 December 2015, converted to PyTorch by Seitzer",
    component="image_encoder:inception-2015",
)

ALEXNET = WeightsRecord(
    name="alexnet-owt-7be5be79.pth",
    url="https://download.pytorch.org/models/alexnet-owt-7be5be79.pth",
    sha256="7be5be791159472b1fbf3c69796f7cb30dca7ad8466c2df70058c37116cdee02",
    size=244408911,
    licence="BSD-3-Clause (torchvision)",
    citation="Krizhevsky: One weird trick for parallelizing convolutional neural networks, arXiv:1404.5997, 2014",
    component="perceptual_metric:lpips",
)

SSD_WEIGHTS = WeightsRecord(
    name="res10_300x300_ssd_iter_140000.caffemodel",
    url="https://github.com/opencv/opencv_3rdparty/raw/dnn_samples_face_detector_20170830/"
    "res10_300x300_ssd_iter_140000.caffemodel",
    sha256="2a56a11a57a4a295956b0660b4a3d76bbdca2206c4961cea8efe7d95c7cb2f2d",
    size=10666211,
    licence="Apache-2.0 (OpenCV)",
    citation="OpenCV: SSD face detector with a ResNet-10 base, samples/dnn/face_detector, 2017",
    component="detector:deepface.ssd",
    kept_in=library_folder,
)

SSD_LAYERS = WeightsRecord(
    name="deploy.prototxt",
    url="https://github.com/opencv/opencv/raw/4.0.1/samples/dnn/face_detector/deploy.prototxt",
    sha256="f62621cac923d6f37bd669298c428bb7ee72233b5f8c3389bb893e35ebbcf795",
    size=28092,
    licence="Apache-2.0 (OpenCV)",
    citation="OpenCV: layers of the SSD face detector, samples/dnn/face_detector, 2017",
    component="detector:deepface.ssd",
    kept_in=library_folder,
)

_DEEPFACE_FILES = {
    "arcface_weights.onnx": "recognizer:deepface.arcface",
    "facenet_weights.onnx": "recognizer:deepface.facenet",
    "vgg_face_weights.onnx": "recognizer:deepface.vgg_face",
    "openface_weights.onnx": "recognizer:deepface.openface",
    "VGGFace2_DeepFace_weights_val-0.9034.onnx": "recognizer:deepface.deepface",
    "deepid_weights.onnx": "recognizer:deepface.deepid",
    "age_model_weights.onnx": "estimator:deepface",
    "gender_model_weights.onnx": "estimator:deepface",
    "race_model_single_batch.onnx": "estimator:deepface",
    "facial_expression_model_weights.onnx": "estimator:deepface",
    "retinaface.onnx": "detector:deepface.retinaface",
}

DEEPFACE: Mapping[str, WeightsRecord] = {
    file: WeightsRecord(
        name=file,
        url=f"https://github.com/serengil/deepface_models/releases/download/v1.0/{file}",
        sha256="",
        size=0,
        licence="MIT (conversion); the licences of the original networks apply",
        citation="Serengil, Ozpinar: LightFace: A Hybrid Deep Face Recognition Framework, ASYU 2020",
        component=component,
        kept_in=library_folder,
    )
    for file, component in _DEEPFACE_FILES.items()
}
"""The networks of the deepface library in ONNX format: no SHA-256 of them is published."""

RECORDS: Mapping[str, WeightsRecord] = {
    record.name: record
    for record in (
        YOLOX_NANO,
        YUNET,
        SFACE,
        DET_10G,
        DET_500M,
        W600K_R50,
        W600K_MBF,
        GLINTR100,
        FACE_LANDMARKER,
        INCEPTION_2015,
        ALEXNET,
        SSD_WEIGHTS,
        SSD_LAYERS,
        *DEEPFACE.values(),
    )
}
"""Every file that a component may need, by name."""
