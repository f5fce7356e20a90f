"""The papers behind the claims, named once."""

from __future__ import annotations

__all__ = [
    "AVRON",
    "BOCHNER",
    "CHEN_EPPERLY_TROPP_WEBBER",
    "KUCZYNSKI_WOZNIAKOWSKI",
    "LI_HONORIO",
    "RAHIMI_RECHT",
    "RAJ",
    "RUDI_ROSASCO",
    "SRIPERUMBUDUR_SZABO",
    "SUTHERLAND_SCHNEIDER",
    "YU",
    "ZHU_LI",
]

AVRON = "Avron et al. (2017), Random Fourier Features for Kernel Ridge Regression"
BOCHNER = "bochner, docs/theory"
CHEN_EPPERLY_TROPP_WEBBER = "Chen, Epperly, Tropp & Webber (2023), Randomly Pivoted Cholesky"
KUCZYNSKI_WOZNIAKOWSKI = (
    "Kuczynski & Wozniakowski (1992), Estimating the Largest Eigenvalue by the Power and Lanczos Algorithms with a "
    "Random Start"
)
LI_HONORIO = "Li & Honorio (2017), The Error Probability of Random Fourier Features is Dimensionality Independent"
RAHIMI_RECHT = "Rahimi & Recht (2007), Random Features for Large-Scale Kernel Machines"
RAJ = "Raj et al. (2017), Local Group Invariant Representations via Orbit Embeddings"
RUDI_ROSASCO = "Rudi & Rosasco (2017), Generalization Properties of Learning with Random Features"
SRIPERUMBUDUR_SZABO = "Sriperumbudur & Szabo (2015), Optimal Rates for Random Fourier Features"
SUTHERLAND_SCHNEIDER = "Sutherland & Schneider (2015), On the Error of Random Fourier Features"
YU = "Yu et al. (2016), Orthogonal Random Features"
ZHU_LI = "Zhu Li (2021), Sharp Analysis of Random Fourier Features in Classification"
