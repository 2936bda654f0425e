# SPDX-License-Identifier: Apache-2.0
"""The compiled module of rhizome with CUDA. ``import rhizome`` finds it."""
