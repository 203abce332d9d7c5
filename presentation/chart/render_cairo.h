// A drawing as PNG or PDF, by the library cairo, which is opened on first use: only who saves pictures needs it.
#pragma once

#include <cstdint>
#include <string>

#include "presentation/chart/drawing.h"

namespace pelorus {

enum class PictureFormat : uint8_t { Png, Pdf };

// Returns the bytes of a file. `scale` is the number of pixels of a PNG per unit of the drawing. Thread-safe. Throws
// UserError when cairo is not installed or cannot make the picture.
std::string renderPicture(const Drawing& drawing, PictureFormat format, double scale = 1);

}  // namespace pelorus
