#include "common/string/source_lines.h"

namespace pelorus {

std::string_view lineOf(std::string_view source, int32_t number) {
    for (int32_t line = 1; line < number; ++line) {
        const size_t end = source.find('\n');
        if (end == std::string_view::npos) return {};
        source.remove_prefix(end + 1);
    }
    return source.substr(0, source.find('\n'));
}

}  // namespace pelorus
