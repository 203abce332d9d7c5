#include "presentation/import/text_arguments.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "common/error.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/vector.h"

namespace pelorus::text {

char delimiterFrom(const Value& delimiter, int argument) {
    if (delimiter.isVoid()) return ',';
    if (delimiter.type() == Type::Char && delimiter.isScalar()) return static_cast<char>(delimiter.integer());
    if (!delimiter.isString()) throw UserError(argument, "delimiter must be a character.");
    std::string_view string = delimiter.string();
    if (string == "\\t") string = "\t";
    if (string.size() != 1 || string == "\"" || string == "\n") {
        throw UserError(argument, "delimiter must be one character, and neither a quote nor a line end.",
                        "Delimiters of several characters are not supported.");
    }
    return string[0];
}

TextOptions optionsFrom(const Value& delimiter, int delimiterArgument, const Value& skipRows, int skipArgument,
                        const Value& containHeader) {
    TextOptions options;
    options.delimiter = delimiterFrom(delimiter, delimiterArgument);
    options.detectsDelimiter = delimiter.isVoid();
    if (!skipRows.isVoid()) {
        options.skipLines = skipRows.isNumber() ? skipRows.asLong() : -1;
        if (options.skipLines < 0 || options.skipLines > 1024) {
            throw UserError(skipArgument, "skipRows must be a number from 0 to 1024.");
        }
    }
    if (!containHeader.isVoid() && !containHeader.isNull()) {
        options.header = containHeader.integer() != 0 ? Header::Yes : Header::No;
    }
    return options;
}

void takeArrayOptions(TextOptions& options, const Value& arrayDelimiter, int delimiterArgument,
                      const Value& arrayMarker, int markerArgument) {
    if (!arrayDelimiter.isVoid()) options.arrayDelimiter = delimiterFrom(arrayDelimiter, delimiterArgument);
    if (arrayMarker.isVoid()) return;
    std::string marker;
    if (arrayMarker.isString()) marker = arrayMarker.string();
    if (arrayMarker.isPair()) {
        for (int64_t i = 0; i < 2; ++i) marker += static_cast<char>(arrayMarker.vector().asLong(i));
    }
    const auto isMark = [&](char c) { return std::ispunct(static_cast<unsigned char>(c)) && c != options.delimiter; };
    if (marker.size() != 2 || !isMark(marker[0]) || !isMark(marker[1]) || (marker[0] == '"') != (marker[1] == '"')) {
        throw UserError(markerArgument, "arrayMarker must be two marks, neither letters, digits nor the delimiter.",
                        "For example \"[]\".");
    }
    if (marker[0] != '"') options.arrayMarker = marker;
}

std::string fileFrom(const Value& file, int argument) {
    if (!file.isString() || file.isNull()) throw UserError(argument, "filename must be the path of a file.");
    return std::string(file.string());
}

// Sets type and scale from a string such as "DECIMAL64(2)".
static void setType(TextColumn& column, std::string_view string, int argument) {
    const size_t open = string.find('(');
    if (open != std::string_view::npos) {
        const std::string_view digits = string.substr(open + 1);
        std::from_chars(digits.data(), digits.data() + digits.size(), column.scale);
    }
    const bool isArray = string.ends_with("[]");
    const std::string_view elements = string.substr(0, string.size() - (isArray ? 2 : 0));
    const bool known = typeByName(elements.substr(0, open), column.type);
    if (!known || (isArray && !canBeInArrayVector(column.type))) {
        throw UserError(argument,
                        fmt::format("The schema names an unknown type, {}, for the column {}.", string, column.name));
    }
    if (isArray) column.type = arrayTypeOf(column.type);
}

TextSchema schemaFrom(const Value& schema, int argument, const TextHead& head) {
    const Ref<MemoryTable> table = tableToRead(schema);
    if (!table) throw UserError(argument, "schema must be a table with the columns name and type.");
    const Value* names = table->column("name");
    const Value* types = table->column("type");
    const Value* formats = table->column("format");
    const Value* fields = table->column("col");
    if (names == nullptr || types == nullptr) throw UserError(argument, "schema must have the columns name and type.");
    if (fields == nullptr && table->rowCount() != static_cast<int64_t>(head.names.size())) {
        throw UserError(argument,
                        fmt::format("The schema has {} columns, but the file's first line has {}.", table->rowCount(),
                                    head.names.size()),
                        "Add the column col to the schema to read some of the columns.");
    }
    TextSchema result;
    for (int64_t i = 0; i < table->rowCount(); ++i) {
        TextColumn column;
        if (!names->at(i).isString() || !types->at(i).isString()) {
            throw UserError(argument, "The columns name and type of the schema must be strings.");
        }
        column.name = names->at(i).string();
        setType(column, types->at(i).string(), argument);
        if (formats != nullptr && formats->at(i).isString()) column.format = formats->at(i).string();
        column.chosen = fields != nullptr;
        column.field = fields == nullptr ? static_cast<int>(i) : static_cast<int>(fields->at(i).asLong());
        const int before = result.empty() ? -1 : result.back().field;
        if (column.field <= before || column.field > 1 << 20) {
            throw UserError(argument, "The values of col in the schema must be ascending positions of fields.");
        }
        result.push_back(std::move(column));
    }
    return result;
}

}  // namespace pelorus::text
