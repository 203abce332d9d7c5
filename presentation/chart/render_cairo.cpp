#include "presentation/chart/render_cairo.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>
#include <numbers>

#include "common/error.h"
#include "presentation/view/text_width.h"

namespace pelorus {

namespace {

// The functions of cairo that are used, with the types that its headers declare. The process is not linked to it.
class Cairo {
public:
    static const Cairo& instance() {
        static const Cairo cairo;
        return cairo;
    }

#define PELORUS_CAIRO(name) decltype(&::name) name = reinterpret_cast<decltype(&::name)>(find(#name))
    void* library = open();
    PELORUS_CAIRO(cairo_image_surface_create);
    PELORUS_CAIRO(cairo_pdf_surface_create_for_stream);
    PELORUS_CAIRO(cairo_surface_write_to_png_stream);
    PELORUS_CAIRO(cairo_surface_finish);
    PELORUS_CAIRO(cairo_surface_status);
    PELORUS_CAIRO(cairo_surface_destroy);
    PELORUS_CAIRO(cairo_status_to_string);
    PELORUS_CAIRO(cairo_create);
    PELORUS_CAIRO(cairo_destroy);
    PELORUS_CAIRO(cairo_status);
    PELORUS_CAIRO(cairo_scale);
    PELORUS_CAIRO(cairo_save);
    PELORUS_CAIRO(cairo_restore);
    PELORUS_CAIRO(cairo_set_source_rgba);
    PELORUS_CAIRO(cairo_set_line_width);
    PELORUS_CAIRO(cairo_set_line_join);
    PELORUS_CAIRO(cairo_move_to);
    PELORUS_CAIRO(cairo_line_to);
    PELORUS_CAIRO(cairo_close_path);
    PELORUS_CAIRO(cairo_new_sub_path);
    PELORUS_CAIRO(cairo_arc);
    PELORUS_CAIRO(cairo_rectangle);
    PELORUS_CAIRO(cairo_fill);
    PELORUS_CAIRO(cairo_stroke);
    PELORUS_CAIRO(cairo_translate);
    PELORUS_CAIRO(cairo_rotate);
    PELORUS_CAIRO(cairo_select_font_face);
    PELORUS_CAIRO(cairo_set_font_size);
    PELORUS_CAIRO(cairo_text_extents);
    PELORUS_CAIRO(cairo_show_text);
#undef PELORUS_CAIRO

private:
    static void* open() {
        void* library = ::dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            throw UserError("PNG and PDF need the library cairo, which cannot be opened.",
                            "Install the package libcairo2, or save the chart as .svg.");
        }
        return library;
    }
    void* find(const char* name) const {
        void* function = ::dlsym(library, name);
        if (!function) {
            throw UserError(fmt::format("The installed library cairo lacks {}.", name),
                            "Install cairo 1.16 or later, or save the chart as .svg.");
        }
        return function;
    }
};

class Painter {
public:
    Painter(const Cairo& cairo, cairo_surface_t* surface, double scale)
        : cairo_(cairo), context_(cairo.cairo_create(surface), cairo.cairo_destroy) {
        cairo_.cairo_scale(context(), scale, scale);
    }

    void paint(const Drawing& drawing) {
        for (const DrawnShape& shape : drawing.shapes) paint(shape);
        if (const cairo_status_t status = cairo_.cairo_status(context()); status != CAIRO_STATUS_SUCCESS)
            throw UserError(fmt::format("The picture cannot be made: {}.", cairo_.cairo_status_to_string(status)));
    }

private:
    cairo_t* context() const { return context_.get(); }

    void path(const DrawnShape& shape) {
        bool isFirst = true;
        for (const Point& p : shape.points) {
            isFirst ? cairo_.cairo_move_to(context(), p.x, p.y) : cairo_.cairo_line_to(context(), p.x, p.y);
            isFirst = false;
        }
    }

    void paint(const DrawnShape& shape) {
        constexpr double kFull = 255;
        cairo_.cairo_set_source_rgba(context(), shape.color.red / kFull, shape.color.green / kFull,
                                     shape.color.blue / kFull, shape.color.opacity);
        switch (shape.kind) {
            case DrawnShape::Kind::Polyline:
                cairo_.cairo_set_line_width(context(), shape.width);
                cairo_.cairo_set_line_join(context(), CAIRO_LINE_JOIN_ROUND);
                path(shape);
                return cairo_.cairo_stroke(context());
            case DrawnShape::Kind::Polygon:
                path(shape);
                cairo_.cairo_close_path(context());
                return cairo_.cairo_fill(context());
            case DrawnShape::Kind::Rectangle:
                cairo_.cairo_rectangle(context(), shape.points[0].x, shape.points[0].y,
                                       shape.points[1].x - shape.points[0].x, shape.points[1].y - shape.points[0].y);
                return cairo_.cairo_fill(context());
            case DrawnShape::Kind::Dots:
                for (const Point& p : shape.points) {
                    cairo_.cairo_new_sub_path(context());
                    cairo_.cairo_arc(context(), p.x, p.y, shape.width, 0, 2 * std::numbers::pi);
                }
                return cairo_.cairo_fill(context());
            case DrawnShape::Kind::Text:
                return text(shape);
        }
    }

    void text(const DrawnShape& shape) {
        const std::string text = printableString(shape.text);
        cairo_.cairo_select_font_face(context(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                                      shape.isBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
        cairo_.cairo_set_font_size(context(), shape.fontSize);
        cairo_text_extents_t extents{};
        cairo_.cairo_text_extents(context(), text.c_str(), &extents);
        const double shift = shape.anchor == TextAnchor::Start    ? 0
                             : shape.anchor == TextAnchor::Middle ? extents.x_advance / 2
                                                                  : extents.x_advance;
        cairo_.cairo_save(context());
        cairo_.cairo_translate(context(), shape.points[0].x, shape.points[0].y);
        if (shape.isVertical) cairo_.cairo_rotate(context(), -std::numbers::pi / 2);
        cairo_.cairo_move_to(context(), -shift, 0);
        cairo_.cairo_show_text(context(), text.c_str());
        cairo_.cairo_restore(context());
    }

    const Cairo& cairo_;
    std::unique_ptr<cairo_t, decltype(&::cairo_destroy)> context_;
};

cairo_status_t appendBytes(void* target, const unsigned char* bytes, unsigned count) {
    static_cast<std::string*>(target)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string renderPicture(const Drawing& drawing, PictureFormat format, double scale) {
    const Cairo& cairo = Cairo::instance();
    std::string bytes;
    const bool isPng = format == PictureFormat::Png;
    const std::unique_ptr<cairo_surface_t, decltype(&::cairo_surface_destroy)> surface(
        isPng ? cairo.cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(drawing.width * scale),
                                                 static_cast<int>(drawing.height * scale))
              : cairo.cairo_pdf_surface_create_for_stream(appendBytes, &bytes, drawing.width, drawing.height),
        cairo.cairo_surface_destroy);
    Painter(cairo, surface.get(), isPng ? scale : 1).paint(drawing);
    if (isPng) {
        cairo.cairo_surface_write_to_png_stream(surface.get(), appendBytes, &bytes);
    } else {
        cairo.cairo_surface_finish(surface.get());
    }
    if (const cairo_status_t status = cairo.cairo_surface_status(surface.get());
        status != CAIRO_STATUS_SUCCESS && status != CAIRO_STATUS_SURFACE_FINISHED)
        throw UserError(fmt::format("The picture cannot be made: {}.", cairo.cairo_status_to_string(status)));
    return bytes;
}

}  // namespace pelorus
