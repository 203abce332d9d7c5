// What editors and notebooks ask: proposals, documentation, charts as pictures.
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "apps/editor/unfinished_input.h"
#include "apps/library/c_objects.h"
#include "common/error.h"
#include "devtools/editing/completion.h"
#include "devtools/lsp/function_markdown.h"
#include "presentation/chart/layout_chart.h"
#include "presentation/chart/render_svg.h"

namespace pelorus {

namespace {

constexpr std::chrono::milliseconds kCompletionTimeout{300};

const char* kindName(CandidateKind kind) {
    switch (kind) {
        case CandidateKind::Name:
            return "variable";
        case CandidateKind::Table:
            return "table";
        case CandidateKind::Member:
            return "column";
        case CandidateKind::Function:
            return "function";
        case CandidateKind::Parameter:
            return "parameter";
        case CandidateKind::Keyword:
            return "keyword";
        case CandidateKind::Database:
            return "database";
        case CandidateKind::File:
            return "file";
    }
    return "";
}

}  // namespace

char* allocatedCopy(std::string_view string) {
    char* const copy = static_cast<char*>(std::malloc(string.size() + 1));
    if (!copy) throw std::bad_alloc();
    std::memcpy(copy, string.data(), string.size());
    copy[string.size()] = '\0';
    return copy;
}

}  // namespace pelorus

using namespace pelorus;

pelorus_error* pelorus_complete(pelorus_session* session, const char* script, size_t bytes, size_t cursor,
                                pelorus_candidate each, void* data, size_t* begin) {
    return usingSession(*session, [&] {
        const auto end = std::chrono::steady_clock::now() + kCompletionTimeout;
        const auto isLate = [&] { return std::chrono::steady_clock::now() > end; };
        const Completion found =
            completeAt({script, bytes}, std::min(cursor, bytes), session->session->names(), isLate);
        *begin = found.begin;
        for (const Candidate& candidate : found.candidates)
            each(data, candidate.text.c_str(), candidate.shown.c_str(), kindName(candidate.kind));
    });
}

pelorus_error* pelorus_describe(pelorus_session* session, const char* name, char** markdown) {
    return usingSession(*session, [&] {
        std::string text;
        if (const BuiltinFunction* builtin = FunctionRegistry::instance().find(name)) {
            text = markdownOf(*builtin);
        } else if (const std::string signature = session->session->names().signatureOf(name); !signature.empty()) {
            text = "`" + signature + "`";
        }
        *markdown = allocatedCopy(text);
    });
}

int32_t pelorus_is_unfinished(const char* script, size_t bytes) {
    try {
        return isUnfinished({script, bytes}) ? 1 : 0;
    } catch (const std::exception&) {
        return 0;
    }
}

pelorus_error* pelorus_draw(const pelorus_value* chart, int32_t width, int32_t height, int32_t is_dark, char** svg) {
    return guarded([&] {
        if (!chart->value.isChart()) throw UserError("The value is no chart.");
        ChartOptions options;
        options.width = width;
        options.height = height;
        options.isDark = is_dark != 0;
        *svg = allocatedCopy(renderSvg(layoutChart(readChart(chart->value), options)));
    });
}
