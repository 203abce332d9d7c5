#include "presentation/chart/drawing.h"

#include <algorithm>

#include "presentation/view/text_width.h"

namespace pelorus {

// The maximum width of a character of one column of a sans-serif font, as a fraction of the font size.
constexpr double kColumnWidth = 0.6;

void Drawing::line(Point from, Point to, Color color, double width) {
    DrawnShape shape;
    shape.points = {from, to};
    shape.color = color;
    shape.width = width;
    shapes.push_back(std::move(shape));
}

void Drawing::rectangle(Point corner, Point opposite, Color color, std::string tip) {
    DrawnShape shape;
    shape.kind = DrawnShape::Kind::Rectangle;
    shape.points = {{std::min(corner.x, opposite.x), std::min(corner.y, opposite.y)},
                    {std::max(corner.x, opposite.x), std::max(corner.y, opposite.y)}};
    shape.color = color;
    shape.text = std::move(tip);
    shapes.push_back(std::move(shape));
}

DrawnShape& Drawing::text(Point at, std::string text, Color color, double fontSize, TextAnchor anchor) {
    DrawnShape shape;
    shape.kind = DrawnShape::Kind::Text;
    shape.points = {at};
    shape.color = color;
    shape.text = std::move(text);
    shape.fontSize = fontSize;
    shape.anchor = anchor;
    shapes.push_back(std::move(shape));
    return shapes.back();
}

double estimatedTextWidth(const std::string& text, double fontSize) {
    return static_cast<double>(textWidth(text)) * fontSize * kColumnWidth;
}

std::string fittedString(const std::string& text, double fontSize, double width) {
    const std::string printable = printableString(text);
    if (estimatedTextWidth(printable, fontSize) <= width) return printable;
    const double columns = std::max(width / (fontSize * kColumnWidth) - 1, 0.0);
    return printable.substr(0, prefixOfWidth(printable, static_cast<size_t>(columns))) + "…";
}

}  // namespace pelorus
