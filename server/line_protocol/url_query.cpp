#include "server/line_protocol/url_query.h"

#include "net/http_request.h"

namespace pelorus {

UrlQuery::UrlQuery(std::string_view target) {
    const size_t mark = target.find('?');
    if (mark == std::string_view::npos) return;
    std::string_view rest = target.substr(mark + 1);
    rest = rest.substr(0, rest.find('#'));
    while (!rest.empty()) {
        const size_t end = rest.find('&');
        const std::string_view one = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        const size_t equals = one.find('=');
        const std::string_view raw = equals == std::string_view::npos ? std::string_view() : one.substr(equals + 1);
        std::string name, value;
        if (percentDecode(one.substr(0, equals), true, name) && percentDecode(raw, true, value))
            parameters_.emplace_back(std::move(name), std::move(value));
    }
}

std::string UrlQuery::value(std::string_view name) const {
    for (const auto& [known, value] : parameters_) {
        if (known == name) return value;
    }
    return "";
}

}  // namespace pelorus
