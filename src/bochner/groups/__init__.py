"""Groups of transformations for invariant features: `OrbitFeatures` averages over them."""

from bochner.groups.base import Action, Group, Transforms, act
from bochner.groups.combined import FromFunctions, FromMatrices, Product
from bochner.groups.coordinates import CyclicShifts, Permutations, SignFlips
from bochner.groups.images import (
    Dihedral,
    ImageAffine,
    ImageReflections,
    ImageRotations,
    ImageScalings,
    ImageTranslations,
)
from bochner.groups.interpolation import polar_samples

__all__ = [
    "Action",
    "CyclicShifts",
    "Dihedral",
    "FromFunctions",
    "FromMatrices",
    "Group",
    "ImageAffine",
    "ImageReflections",
    "ImageRotations",
    "ImageScalings",
    "ImageTranslations",
    "Permutations",
    "Product",
    "SignFlips",
    "Transforms",
    "act",
    "polar_samples",
]
