"""Published formulas exactly as printed, by paper. None can become a certificate; each names what to use instead.

VALID: the statement is true, by the printed proof or another. UNPROVED: not proved, not refuted. REFUTED: false, and
`counterexample()` shows it. `correction` gives the reason, `scope` the part that a status speaks of where not all.
"""

from bochner.theory.published.li_honorio import (
    LiHonorioCorollary1,
    LiHonorioTheorem1,
    LiHonorioTheorem1Line,
    LiHonorioTheorem2,
    LiHonorioTheorem3,
    li_honorio_thm1,
)
from bochner.theory.published.li_honorio_equations import (
    LiHonorioEq7,
    LiHonorioEq8,
    LiHonorioEq9,
    LiHonorioEq10,
    LiHonorioEq12,
    LiHonorioSVMOrder,
)
from bochner.theory.published.raj import (
    RajLemmaA1,
    RajLemmaA2,
    RajTheorem31,
    RajTheorem31Pointwise,
    RajTheorem32,
    RajTheoremA3,
)
from bochner.theory.published.sutherland_schneider import (
    SutherlandSchneiderProp1,
    SutherlandSchneiderProp2,
    SutherlandSchneiderProp3,
    SutherlandSchneiderProp4,
    SutherlandSchneiderProp5,
    SutherlandSchneiderProp6,
    SutherlandSchneiderProp10,
)
from bochner.theory.published.sutherland_schneider_means import (
    SutherlandSchneiderMMDMean,
    SutherlandSchneiderMMDSquared,
    SutherlandSchneiderMMK,
    SutherlandSchneiderMMKMean,
    SutherlandSchneiderMMKVariance,
    SutherlandSchneiderProp7,
    SutherlandSchneiderProp8,
)
from bochner.theory.published.zhu_li import ZhuLiCorollaryFeatures, ZhuLiFeatures, ZhuLiLemma1, ZhuLiTheorem3

__all__ = [
    "LiHonorioCorollary1",
    "LiHonorioEq7",
    "LiHonorioEq8",
    "LiHonorioEq9",
    "LiHonorioEq10",
    "LiHonorioEq12",
    "LiHonorioSVMOrder",
    "LiHonorioTheorem1",
    "LiHonorioTheorem1Line",
    "LiHonorioTheorem2",
    "LiHonorioTheorem3",
    "RajLemmaA1",
    "RajLemmaA2",
    "RajTheorem31",
    "RajTheorem31Pointwise",
    "RajTheorem32",
    "RajTheoremA3",
    "SutherlandSchneiderMMDMean",
    "SutherlandSchneiderMMDSquared",
    "SutherlandSchneiderMMK",
    "SutherlandSchneiderMMKMean",
    "SutherlandSchneiderMMKVariance",
    "SutherlandSchneiderProp1",
    "SutherlandSchneiderProp2",
    "SutherlandSchneiderProp3",
    "SutherlandSchneiderProp4",
    "SutherlandSchneiderProp5",
    "SutherlandSchneiderProp6",
    "SutherlandSchneiderProp7",
    "SutherlandSchneiderProp8",
    "SutherlandSchneiderProp10",
    "ZhuLiCorollaryFeatures",
    "ZhuLiFeatures",
    "ZhuLiLemma1",
    "ZhuLiTheorem3",
    "li_honorio_thm1",
]
