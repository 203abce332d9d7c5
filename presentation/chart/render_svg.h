// A drawing as SVG 1.1.
#pragma once

#include <string>

#include "presentation/chart/drawing.h"

namespace pelorus {

// Returns a whole document. Strings of the drawing are escaped: it holds no markup but its own, and no script.
std::string renderSvg(const Drawing& drawing);

}  // namespace pelorus
