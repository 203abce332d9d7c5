#include "presentation/chart/render_svg.h"

#include <fmt/format.h>

#include <iterator>

#include "presentation/view/text_width.h"

namespace pelorus {

namespace {

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : printableString(text)) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

class SvgWriter {
public:
    explicit SvgWriter(const Drawing& drawing) {
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
            "font-family=\"'DejaVu Sans', Helvetica, Arial, sans-serif\">\n",
            drawing.width, drawing.height);
        for (const DrawnShape& shape : drawing.shapes) write(shape);
        out_ += "</svg>\n";
    }
    std::string take() { return std::move(out_); }

private:
    template <class... Parts>
    void add(fmt::format_string<Parts...> format, Parts&&... parts) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Parts>(parts)...);
    }
    // A tenth of a pixel is finer than a screen shows.
    void number(double x) {
        std::string text = fmt::format("{:.1f}", x);
        if (text.ends_with(".0")) text.resize(text.size() - 2);
        out_ += text == "-0" ? "0" : text;
    }
    void points(const DrawnShape& shape) {
        out_ += " points=\"";
        for (const Point& p : shape.points) {
            number(p.x);
            out_ += ',';
            number(p.y);
            out_ += ' ';
        }
        if (!shape.points.empty()) out_.pop_back();
        out_ += '"';
    }
    void attribute(const char* name, double x) {
        add(" {}=\"", name);
        number(x);
        out_ += '"';
    }
    void color(const char* name, const Color& c) {
        add(" {}=\"#{:02x}{:02x}{:02x}\"", name, c.red, c.green, c.blue);
        if (c.opacity < 1) add(" {}-opacity=\"{:g}\"", name, c.opacity);
    }
    void end(const char* tag, const std::string& tip) {
        if (tip.empty()) {
            out_ += "/>\n";
        } else {
            add("><title>{}</title></{}>\n", escaped(tip), tag);
        }
    }

    void write(const DrawnShape& shape) {
        switch (shape.kind) {
            case DrawnShape::Kind::Polyline:
                out_ += "<polyline fill=\"none\"";
                points(shape);
                color("stroke", shape.color);
                add(" stroke-width=\"{:g}\" stroke-linejoin=\"round\"", shape.width);
                return end("polyline", shape.text);
            case DrawnShape::Kind::Polygon:
                out_ += "<polygon";
                points(shape);
                color("fill", shape.color);
                return end("polygon", shape.text);
            case DrawnShape::Kind::Rectangle:
                out_ += "<rect";
                attribute("x", shape.points[0].x);
                attribute("y", shape.points[0].y);
                attribute("width", shape.points[1].x - shape.points[0].x);
                attribute("height", shape.points[1].y - shape.points[0].y);
                color("fill", shape.color);
                return end("rect", shape.text);
            case DrawnShape::Kind::Dots:
                return dots(shape);
            case DrawnShape::Kind::Text:
                return text(shape);
        }
    }

    // One path for all dots of a series: a browser draws it much faster than an element for each.
    void dots(const DrawnShape& shape) {
        out_ += "<path fill=\"none\" stroke-linecap=\"round\"";
        color("stroke", shape.color);
        add(" stroke-width=\"{:g}\" d=\"", 2 * shape.width);
        for (const Point& p : shape.points) {
            out_ += 'M';
            number(p.x);
            out_ += ' ';
            number(p.y);
            out_ += "h0";
        }
        out_ += '"';
        end("path", shape.text);
    }

    void text(const DrawnShape& shape) {
        out_ += "<text";
        if (shape.isVertical) {
            add(" transform=\"translate({:.1f} {:.1f}) rotate(-90)\"", shape.points[0].x, shape.points[0].y);
        } else {
            attribute("x", shape.points[0].x);
            attribute("y", shape.points[0].y);
        }
        color("fill", shape.color);
        add(" font-size=\"{:g}\"", shape.fontSize);
        if (shape.anchor != TextAnchor::Start)
            add(" text-anchor=\"{}\"", shape.anchor == TextAnchor::Middle ? "middle" : "end");
        if (shape.isBold) out_ += " font-weight=\"bold\"";
        add(">{}</text>\n", escaped(shape.text));
    }

    std::string out_;
};

}  // namespace

std::string renderSvg(const Drawing& drawing) {
    return SvgWriter(drawing).take();
}

}  // namespace pelorus
