// Fourier transforms of the influences between cells, as sums over a window of cells need them
// (layer_window.h).
#pragma once

#include <vector>

#include "taxel/marker/layer_lattice.h"

namespace taxel::internal {

/// Of the components in the order of LayerBlock, (6, 5, kLayerFrequencies): the transform over differences of
/// cells up to 19, over twice the 40 x 40 places. Along x it is that of the frequency 8 n + k2, along y the
/// one at `place` (FourierPlace), with item = kLayerHalf k2 + place; 0 where place is none of IsHalf. Real
/// parts, but imaginary ones of xz and yz; the others are 0.
std::vector<float> LayerSpectrum(const LayerCells& cells, const LayerLevel& level);

/// (5, 8) complex numbers: exp(-2 pi i n k / 40).
std::vector<float> FourierTurns();

}  // namespace taxel::internal
