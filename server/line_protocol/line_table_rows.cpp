// Rows of one table in a batch of lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "common/check.h"
#include "runtime/value/symbol_base.h"
#include "runtime/value/vector.h"
#include "server/line_protocol/line_batch.h"
#include "server/line_protocol/line_lexer.h"

namespace pelorus {
namespace {

constexpr size_t kMaxColumns = 4096;
constexpr int64_t kNanosPerMilli = 1'000'000;
constexpr std::string_view kShapeSuffix = "_shape";

const ColumnSchema* find(const TableSchema& schema, std::string_view name) {
    const auto at = std::find_if(schema.begin(), schema.end(), [&](const auto& column) { return column.name == name; });
    return at == schema.end() ? nullptr : &*at;
}

bool isString(Type type) {
    return type == Type::Symbol || type == Type::String || type == Type::Blob;
}

bool needsEscapes(std::string_view name) {
    return name.find_first_of(" ,=\\\"") != std::string_view::npos;
}

}  // namespace

LineBatch::TableRows::TableRows(std::string name, LineTable known, LineCatalog& catalog)
    : name_(std::move(name)), known_(std::move(known)), catalog_(catalog) {
    const ColumnSchema* time = find(known_.schema, known_.timeColumn);
    isInMillis_ = time && time->type == Type::Timestamp;
}

const std::vector<std::string>& LineBatch::TableRows::firstTags() const {
    CHECK(!positions_.empty()) << "a table is made for its rows";
    return sets_[static_cast<size_t>(positions_[0])]->shape->names;
}

void LineBatch::TableRows::addTime(int64_t nanos) {
    if (isInMillis_ && nanos % kNanosPerMilli != 0)
        throw LineError(
            fmt::format("the time has more digits than the column {} of type TIMESTAMP holds", known_.timeColumn));
    times_.push_back(nanos);
}

void LineBatch::TableRows::requireColumnCount() const {
    if (known_.schema.size() + tagColumns_.size() + fields_.size() >= 2 * kMaxColumns)
        throw LineError(fmt::format("the table would have more than {} columns", kMaxColumns));
}

void LineBatch::TableRows::useShape(const TagShape& shape) {
    std::vector<size_t> columns;
    // Nothing is changed before all tags are known to fit.
    for (const std::string& tag : shape.names) {
        const ColumnSchema* column = find(known_.schema, tag);
        if (tag == known_.timeColumn)
            throw LineError(fmt::format("{} is the column of the rows' times, and no tag", tag));
        if (fieldByName_.count(tag)) throw LineError(fmt::format("{} is a tag here, and a field of other lines", tag));
        if (column && !isString(column->type))
            throw LineError(fmt::format("the tag {} does not fit its column of type {}", tag, typeName(column->type)));
        if (!column && known_.exists) catalog_.requireToAddColumns(name_);
        requireColumnCount();
    }
    for (const std::string& tag : shape.names) {
        const auto [known, added] = tagByName_.try_emplace(tag, tagColumns_.size());
        if (added) {
            const ColumnSchema* column = find(known_.schema, tag);
            tagColumns_.push_back({tag, column ? column->type : Type::Symbol, column == nullptr});
        }
        columns.push_back(known->second);
    }
    shapes_.emplace(&shape, std::move(columns));
}

void LineBatch::TableRows::useSet(TagSet& set, int32_t table, uint64_t batch) {
    CHECK(shapes_.count(set.shape) == 1) << "the tags of a set have columns";
    set.batch = batch;
    set.tableOfBatch = table;
    set.position = static_cast<int32_t>(sets_.size());
    sets_.push_back(&set);
}

// Makes the field's column: of the type that the table has, or that its first value calls for.
size_t LineBatch::TableRows::addField(std::string name, const LineValue& first) {
    requireColumnName(name);
    requireColumnCount();
    if (name == known_.timeColumn)
        throw LineError(fmt::format("{} is the column of the rows' times, and no field", name));
    if (tagByName_.count(name)) throw LineError(fmt::format("{} is a field here, and a tag of other lines", name));
    const ColumnSchema* column = find(known_.schema, name);
    if (!column && known_.exists) catalog_.requireToAddColumns(name_);
    const Type type = column ? column->type : columnTypeOf(first.kind);
    const bool isPlain = !needsEscapes(name);
    fields_.push_back(std::make_unique<Field>(Field{ColumnBuilder(name, type, column == nullptr), isPlain, -1}));
    fieldByName_.emplace(std::move(name), fields_.size() - 1);
    return fields_.size() - 1;
}

// An array of several dimensions is stored row by row; its lengths go to a column of their own, an array, too.
void LineBatch::TableRows::setShape(Field& field, int64_t row, const LineValue& value) {
    std::array<double, 32> lengths{};
    const size_t count = value.shape.size() / sizeof(uint32_t);
    CHECK(count <= lengths.size()) << "an array has so many dimensions at most";
    for (size_t d = 0; d < count; ++d) {
        uint32_t length = 0;
        std::memcpy(&length, value.shape.data() + d * sizeof length, sizeof length);
        lengths[d] = length;
    }
    LineValue shape;
    shape.kind = LineKind::Array;
    shape.string = {reinterpret_cast<const char*>(lengths.data()), count * sizeof(double)};
    if (field.shape < 0) {
        std::string name = field.column.name() + std::string(kShapeSuffix);
        const auto known = fieldByName_.find(name);
        field.shape =
            static_cast<int32_t>(known != fieldByName_.end() ? known->second : addField(std::move(name), shape));
    }
    fields_[static_cast<size_t>(field.shape)]->column.set(row, shape);
}

LineBatch::TableRows::Field* LineBatch::TableRows::predictedField(size_t position, const char* at, const char* end) {
    if (position >= fieldOrder_.size()) return nullptr;
    Field& field = *fields_[static_cast<size_t>(fieldOrder_[position])];
    const std::string& name = field.column.name();
    const bool matches = field.isPlain && static_cast<size_t>(end - at) > name.size() && at[name.size()] == '=' &&
                         std::memcmp(at, name.data(), name.size()) == 0;
    return matches ? &field : nullptr;
}

// Reads the name of a field and its equals sign.
LineBatch::TableRows::Field& LineBatch::TableRows::readField(size_t position, const char*& at, const char* end) {
    if (Field* field = predictedField(position, at, end)) {
        at += field->column.name().size() + 1;
        return *field;
    }
    LineName raw;
    at = readName(at, end, raw);
    if (*at != '=') {
        throw LineError(raw.string.empty() ? std::string("a field is expected")
                                           : fmt::format("the field {} has no value", raw.unescaped()));
    }
    ++at;
    std::string name = raw.unescaped();
    const auto known = fieldByName_.find(name);
    size_t number = 0;
    if (known != fieldByName_.end()) {
        number = known->second;
    } else {
        LineValue first;
        readValue(at, end, first);
        number = addField(std::move(name), first);
    }
    if (fieldOrder_.size() <= position) fieldOrder_.resize(position + 1, 0);
    fieldOrder_[position] = static_cast<int32_t>(number);
    return *fields_[number];
}

void LineBatch::TableRows::truncate(int64_t rows) {
    for (const auto& field : fields_) field->column.truncate(rows);
}

// Tags and fields of a line that was refused make no columns.
TableSchema LineBatch::TableRows::newColumns() const {
    std::vector<bool> isUsed(tagColumns_.size());
    const TagShape* shape = nullptr;
    for (const int32_t position : positions_) {
        const TagSet& set = *sets_[static_cast<size_t>(position)];
        if (set.shape == shape) continue;
        shape = set.shape;
        for (const size_t column : shapes_.at(shape)) isUsed[column] = true;
    }
    TableSchema columns;
    for (size_t i = 0; i < tagColumns_.size(); ++i) {
        if (tagColumns_[i].isNew && isUsed[i]) columns.push_back({.name = tagColumns_[i].name, .type = Type::Symbol});
    }
    for (const auto& field : fields_) {
        if (field->column.isNew() && field->column.hasValues())
            columns.push_back({.name = field->column.name(), .type = field->column.type()});
    }
    return columns;
}

bool LineBatch::TableRows::fits(const TableSchema& schema) const {
    const auto has = [&](const std::string& name, Type type) {
        const ColumnSchema* column = find(schema, name);
        return column && column->type == type;
    };
    const ColumnSchema* time = find(schema, known_.timeColumn);
    const TableSchema added = newColumns();
    return time && (time->type == Type::NanoTimestamp || time->type == Type::Timestamp) &&
           std::all_of(added.begin(), added.end(), [&](const auto& column) { return has(column.name, column.type); }) &&
           std::all_of(tagColumns_.begin(), tagColumns_.end(),
                       [&](const auto& tag) { return tag.isNew || has(tag.name, tag.type); }) &&
           std::all_of(fields_.begin(), fields_.end(), [&](const auto& field) {
               return field->column.isNew() || has(field->column.name(), field->column.type());
           });
}

std::vector<int32_t> LineBatch::TableRows::codesOf(size_t tagColumn) const {
    std::vector<int32_t> codes;
    codes.reserve(sets_.size());
    const TagShape* shape = nullptr;
    size_t at = 0;
    for (TagSet* set : sets_) {
        if (set->shape != shape) {
            shape = set->shape;
            const std::vector<size_t>& columns = shapes_.at(shape);
            at = static_cast<size_t>(std::find(columns.begin(), columns.end(), tagColumn) - columns.begin());
        }
        if (set->codes.empty()) {
            for (const std::string& value : set->values) set->codes.push_back(symbols::intern(value));
        }
        codes.push_back(at < set->codes.size() ? set->codes[at] : 0);
    }
    return codes;
}

// Returns the rank of each tag set in the order of these tags; equal ones share a rank.
std::vector<int32_t> LineBatch::TableRows::rankSets(const std::vector<size_t>& tagsInOrder) const {
    std::vector<std::vector<int32_t>> codes;
    for (const size_t tag : tagsInOrder) codes.push_back(codesOf(tag));
    const auto ranks = symbols::ranks();
    for (auto& column : codes) {
        for (int32_t& code : column) code = (*ranks)[static_cast<size_t>(code)];
    }
    const auto compare = [&](int32_t a, int32_t b) {
        for (const auto& column : codes) {
            const int32_t left = column[static_cast<size_t>(a)], right = column[static_cast<size_t>(b)];
            if (left != right) return left < right ? -1 : 1;
        }
        return 0;
    };
    std::vector<int32_t> sorted(sets_.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::sort(sorted.begin(), sorted.end(), [&](int32_t a, int32_t b) { return compare(a, b) < 0; });
    std::vector<int32_t> rankOf(sets_.size());
    int32_t rank = 0;
    for (size_t i = 0; i < sorted.size(); ++i) {
        if (i > 0 && compare(sorted[i - 1], sorted[i]) != 0) ++rank;
        rankOf[static_cast<size_t>(sorted[i])] = rank;
    }
    return rankOf;
}

// Orders the rows as storage does when the table is sorted by tags and then time; else leaves it to storage.
std::vector<int32_t> LineBatch::TableRows::order(const std::vector<std::string>& sortColumns) const {
    if (sortColumns.empty() || sortColumns.back() != known_.timeColumn) return {};
    std::vector<size_t> tags;
    for (size_t i = 0; i + 1 < sortColumns.size(); ++i) {
        if (fieldByName_.count(sortColumns[i])) return {};
        const auto tag = tagByName_.find(sortColumns[i]);
        if (tag == tagByName_.end()) continue;  // NULL in all rows
        if (tagColumns_[tag->second].type != Type::Symbol) return {};
        tags.push_back(tag->second);
    }
    const std::vector<int32_t> rankOf = rankSets(tags);
    const auto rankCount = static_cast<size_t>(*std::max_element(rankOf.begin(), rankOf.end())) + 1;
    // A counting sort by the ranks of the tags, then each run by time.
    std::vector<int32_t> begins(rankCount + 1, 0);
    for (const int32_t position : positions_) ++begins[static_cast<size_t>(rankOf[static_cast<size_t>(position)]) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<int32_t> next(begins.begin(), begins.end() - 1);
    std::vector<int32_t> rows(positions_.size());
    for (size_t i = 0; i < positions_.size(); ++i) {
        int32_t& place = next[static_cast<size_t>(rankOf[static_cast<size_t>(positions_[i])])];
        rows[static_cast<size_t>(place++)] = static_cast<int32_t>(i);
    }
    const auto isEarlier = [&](int32_t a, int32_t b) {
        return times_[static_cast<size_t>(a)] < times_[static_cast<size_t>(b)];
    };
    for (size_t r = 0; r < rankCount; ++r) {
        const auto first = rows.begin() + begins[r], last = rows.begin() + begins[r + 1];
        if (!std::is_sorted(first, last, isEarlier)) std::stable_sort(first, last, isEarlier);
    }
    return rows;
}

Value LineBatch::TableRows::buildTag(size_t tagColumn, Type type, const std::vector<int32_t>& order) const {
    const std::vector<int32_t> codes = codesOf(tagColumn);
    const auto rows = positions_.size();
    const auto codeAt = [&](size_t i) {
        const auto row = order.empty() ? i : static_cast<size_t>(order[i]);
        return codes[static_cast<size_t>(positions_[row])];
    };
    Ref<Vector> column = Vector::make(type, static_cast<int64_t>(rows));
    if (type == Type::Symbol) {
        auto* elements = column->mutableData<int32_t>();
        for (size_t i = 0; i < rows; ++i) elements[i] = codeAt(i);
    } else {
        for (size_t i = 0; i < rows; ++i) column->setString(static_cast<int64_t>(i), symbols::string(codeAt(i)));
    }
    return Value::of(std::move(column));
}

Value LineBatch::TableRows::buildTimes(Type type, const std::vector<int32_t>& order) const {
    Ref<Vector> column = Vector::make(type, rowCount());
    auto* elements = column->mutableData<int64_t>();
    const int64_t unit = type == Type::NanoTimestamp ? 1 : kNanosPerMilli;
    for (size_t i = 0; i < times_.size(); ++i)
        elements[i] = times_[order.empty() ? i : static_cast<size_t>(order[i])] / unit;
    return Value::of(std::move(column));
}

Ref<MemoryTable> LineBatch::TableRows::build(const TableSchema& schema,
                                             const std::vector<std::string>& sortColumns) const {
    CHECK(fits(schema)) << "the rows were checked against these columns";
    const std::vector<int32_t> rows = order(sortColumns);
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (const ColumnSchema& column : schema) {
        names.push_back(column.name);
        const auto tag = tagByName_.find(column.name);
        const auto field = fieldByName_.find(column.name);
        if (column.name == known_.timeColumn) {
            columns.push_back(buildTimes(column.type, rows));
        } else if (tag != tagByName_.end()) {
            columns.push_back(buildTag(tag->second, column.type, rows));
        } else if (field != fieldByName_.end()) {
            columns.push_back(fields_[field->second]->column.build(rowCount(), rows));
        } else {
            columns.push_back(filledColumn(column.type, column.scale, rowCount()));
        }
    }
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

}  // namespace pelorus
