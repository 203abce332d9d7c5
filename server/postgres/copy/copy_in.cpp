#include "server/postgres/copy/copy_in.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "postgres/functions/stored_text.h"
#include "postgres/sql_error.h"
#include "server/postgres/wire/wire_times.h"

namespace pelorus::postgres {
namespace {

constexpr std::string_view kBadFormat = "22P04";
constexpr size_t kShownBytes = 100;

bool isAscii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
}

// Throws SqlError 42703 for a name of `force_null` and the like that is no copied column.
void requireKnown(const std::vector<std::string>& names, const std::vector<std::string>& columns, const char* option) {
    for (const std::string& name : names)
        if (name != "*" && std::find(columns.begin(), columns.end(), name) == columns.end())
            throw SqlError("42P10", fmt::format("{} column \"{}\" not referenced by COPY", option, name));
}

bool hasName(const std::vector<std::string>& names, const std::string& name) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& one) { return one == "*" || one == name; });
}

}  // namespace

CopyReader::CopyReader(std::shared_ptr<const TargetTable> target, const std::vector<std::string>& columns,
                       CopyForm form, ParameterStyle style)
    : target_(std::move(target)), form_(std::move(form)), style_(style) {
    std::vector<const TargetColumn*> wanted;
    for (const std::string& name : columns) {
        const TargetColumn& column = target_->column(name, -1);
        if (std::find(wanted.begin(), wanted.end(), &column) != wanted.end())
            throw SqlError("42701", fmt::format("column \"{}\" specified more than once", name));
        wanted.push_back(&column);
    }
    if (columns.empty())
        for (const TargetColumn& column : target_->columns) wanted.push_back(&column);
    std::vector<std::string> names;
    for (const TargetColumn* column : wanted) {
        names.push_back(column->schema.name);
        columns_.push_back({AssignedColumn(*target_, *column), static_cast<size_t>(column - target_->columns.data()),
                            column->declared.shown.type, hasName(form_.neverNull, names.back()),
                            hasName(form_.nullInQuotes, names.back())});
    }
    requireKnown(form_.neverNull, names, "FORCE_NOT_NULL");
    requireKnown(form_.nullInQuotes, names, "FORCE_NULL");
    for (const TargetColumn& column : target_->columns)
        if (column.declared.isRequired && column.whenMissing.empty() &&
            std::find(wanted.begin(), wanted.end(), &column) == wanted.end())
            refuseNull(column.schema.name, target_->name);
    fields_ = makeCopyFields(form_, columns_.size());
    mustCheckHeader_ = form_.matchesHeader;
}

void CopyReader::feed(std::string_view bytes) {
    fields_->feed(bytes, [this](std::span<const CopyField> fields) { takeRow(fields); });
}

std::vector<size_t> CopyReader::places() const {
    std::vector<size_t> places;
    for (const Column& column : columns_) places.push_back(column.place);
    return places;
}

Ref<MemoryTable> CopyReader::finish(const FillDefault& fill) {
    fields_->finish([this](std::span<const CopyField> fields) { takeRow(fields); });
    std::vector<std::string> names;
    std::vector<Value> values(target_->columns.size());
    for (Column& column : columns_) values[column.place] = column.writer.take();
    for (size_t i = 0; i < values.size(); ++i) {
        const ColumnSchema& schema = target_->columns[i].schema;
        names.push_back(schema.name);
        if (!values[i].isVoid()) continue;
        if (target_->columns[i].whenMissing.empty() || !fill) {
            values[i] = filledColumn(schema.type, schema.scale, rows_);
            continue;
        }
        AssignedColumn writer(*target_, target_->columns[i]);
        fill(writer, rows_);
        values[i] = writer.take();
    }
    return makeRef<MemoryTable>(std::move(names), std::move(values));
}

void CopyReader::checkHeader(std::span<const CopyField> fields) {
    mustCheckHeader_ = false;
    for (size_t i = 0; i < std::max(fields.size(), columns_.size()); ++i) {
        const bool isSame =
            i < fields.size() && i < columns_.size() && fields[i].bytes == columns_[i].writer.column().schema.name;
        if (!isSame) throw SqlError(kBadFormat, fmt::format("column name mismatch in header line field {}", i + 1));
    }
}

void CopyReader::takeRow(std::span<const CopyField> fields) {
    if (mustCheckHeader_) return checkHeader(fields);
    const auto place = [this] { return fmt::format("COPY {}, line {}", target_->name, fields_->line()); };
    if (fields.size() != columns_.size()) {
        SqlError error(kBadFormat, fields.size() > columns_.size()
                                       ? std::string("extra data after last expected column")
                                       : fmt::format("missing data for column \"{}\"",
                                                     columns_[fields.size()].writer.column().schema.name));
        error.setDetail(place());
        throw error;
    }
    for (size_t i = 0; i < fields.size(); ++i) {
        try {
            takeField(columns_[i], fields[i]);
        } catch (SqlError& error) {
            const std::string& name = columns_[i].writer.column().schema.name;
            if (form_.kind == CopyForm::Kind::Binary || fields[i].isNull)
                error.setDetail(fmt::format("{}, column {}", place(), name));
            else
                error.setDetail(
                    fmt::format("{}, column {}: \"{}\"", place(), name, fields[i].bytes.substr(0, kShownBytes)));
            throw;
        }
    }
    ++rows_;
}

void CopyReader::takeField(Column& column, const CopyField& field) {
    const bool isNull = (field.isNull && !column.isNeverNull) || (column.isNullInQuotes && field.bytes == form_.null);
    if (isNull) return column.writer.add(Value());
    if (form_.kind == CopyForm::Kind::Binary)
        return column.writer.add(parseParameter(column.type, field.bytes, true, style_));
    takeText(column, field.bytes);
}

// Values of the types that most columns have are read without a Value in between.
void CopyReader::takeText(Column& column, std::string_view bytes) {
    const Type kept = column.writer.column().schema.type;
    if (kept == Type::String || kept == Type::Symbol) {
        if (column.type == oid::kText || column.type == oid::kVarchar || column.type == oid::kBpchar) {
            if (!isAscii(bytes)) requireText(bytes);
            return column.writer.addText(bytes);
        }
    } else if (kept == Type::Int || kept == Type::Long || kept == Type::Short) {
        int64_t value = 0;
        const char* const end = bytes.data() + bytes.size();
        const auto [stop, failure] = std::from_chars(bytes.data(), end, value);
        const int64_t most = kept == Type::Int ? INT32_MAX : kept == Type::Short ? INT16_MAX : INT64_MAX;
        if (failure == std::errc() && stop == end && value >= -most && value <= most)
            return column.writer.addInteger(value);
    } else if (kept == Type::Double) {
        double value = 0;
        const char* const end = bytes.data() + bytes.size();
        const auto [stop, failure] = std::from_chars(bytes.data(), end, value);
        const bool isNumber = !bytes.empty() && (bytes.back() >= '0' && bytes.back() <= '9');  // no inf, no nan
        const bool isValue = isNumber && value != std::numeric_limits<double>::lowest();       // which is NULL
        if (failure == std::errc() && stop == end && isValue) return column.writer.addReal(value);
    } else if (kept == Type::NanoTimestamp) {
        return column.writer.addInteger(parseTimestamp(bytes, column.type == oid::kTimestamptz, style_.zone));
    } else if (kept == Type::Date && column.type == oid::kDate) {
        return column.writer.addInteger(parseDate(bytes));
    }
    column.writer.add(parseParameter(column.type, bytes, false, style_));
}

}  // namespace pelorus::postgres
