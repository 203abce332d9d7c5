// The rows of a query as the body of an HTTP answer, in a form that other programs read without a client of ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/value/value.h"

namespace pelorus {

// A form, as a media type names it.
enum class TableBody : uint8_t {
    ArrowStream,  // application/vnd.apache.arrow.stream
    Csv,          // text/csv
    Parquet,      // application/vnd.apache.parquet
};

// Returns the form of a media type, whose parameters are ignored; nothing for any other.
std::optional<TableBody> formOf(std::string_view mediaType);

// Returns the first form of the list in an Accept header that is one of these; nothing when JSON, or anything, is named
// before, or none is.
std::optional<TableBody> acceptedBody(std::string_view accept);
std::string_view mediaTypeOf(TableBody form);
// Returns the rows [begin, end) of a result. Throws UserError when it is no table in memory, a column has no
// counterpart, or the library that writes Parquet is not installed.
std::string tableBody(TableBody form, const Value& result, int64_t begin, int64_t end);

}  // namespace pelorus
