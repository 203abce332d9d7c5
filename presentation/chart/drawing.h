// A Drawing is a list of shapes in the order in which they are painted, in units of a pixel from the top left corner.
//
// Charts are laid out once as a drawing, which render_svg.h and render_cairo.h write to files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pelorus {

struct Point {
    double x = 0, y = 0;
};

struct Color {
    uint8_t red = 0, green = 0, blue = 0;
    double opacity = 1;
};

enum class TextAnchor : uint8_t { Start, Middle, End };

struct DrawnShape {
    enum class Kind : uint8_t {
        Polyline,   // open, stroked
        Polygon,    // closed, filled
        Rectangle,  // filled, between two corners
        Dots,       // filled circles of radius `width` around the points
        Text,       // the string `text`, with its baseline at the first point
    };
    Kind kind = Kind::Polyline;
    std::vector<Point> points;
    Color color;
    double width = 1;  // width of a stroke, or radius of dots
    std::string text;  // string of a Text; for other shapes the tip that a pointer over it shows
    double fontSize = 12;
    TextAnchor anchor = TextAnchor::Start;
    bool isBold = false;
    bool isVertical = false;  // the characters read upwards
};

struct Drawing {
    double width = 0, height = 0;
    std::vector<DrawnShape> shapes;

    void line(Point from, Point to, Color color, double width = 1);
    void rectangle(Point corner, Point opposite, Color color, std::string tip = {});
    DrawnShape& text(Point at, std::string text, Color color, double fontSize, TextAnchor anchor = TextAnchor::Start);
};

// Returns the width of a string in the fonts of the renderers, estimated by its characters.
double estimatedTextWidth(const std::string& text, double fontSize);
// Returns the string, cut to a width with an ellipsis where it is longer.
std::string fittedString(const std::string& text, double fontSize, double width);

}  // namespace pelorus
