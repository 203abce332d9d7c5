#include <fmt/format.h>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/table.h"
#include "runtime/table/table_keys.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

bool PartitionedTable::replace(const TableSnapshot&, const std::vector<std::pair<size_t, Ref<MemoryTable>>>&) {
    throw UserError("The rows of " + name + " cannot be changed where they lie.",
                    "Append new rows, or build a new table.");
}

static ColumnSchema schemaOf(std::string_view name, const Value& column) {
    return {std::string(name), columnType(column), column.extra(), ""};
}

MemoryTable::MemoryTable() = default;
MemoryTable::~MemoryTable() = default;

MemoryTable::MemoryTable(std::vector<std::string> names, std::vector<Value> columns) : columns_(std::move(columns)) {
    CHECK(names.size() == columns_.size()) << "each column of a table has a name";
    for (size_t i = 0; i < names.size(); ++i) schema_.push_back(schemaOf(names[i], columns_[i]));
}

Ref<MemoryTable> MemoryTable::empty(const TableSchema& schema, int64_t capacity) {
    auto table = makeRef<MemoryTable>();
    for (const ColumnSchema& column : schema) {
        Value v;
        if (column.type == Type::Any) {
            v = Value::of(makeRef<Tuple>());
        } else if (column.type == Type::IotAny) {
            v = Value::of(makeRef<Tuple>(std::vector<Value>(), TupleKind::IotAny));
        } else if (isArrayType(column.type)) {
            v = Value::of(makeRef<ArrayVector>(elementTypeOf(column.type), column.scale, capacity));
        } else {
            Ref<Vector> elements = Vector::make(column.type, 0, capacity);
            elements->setScale(column.scale);
            v = Value::of(elements);
        }
        table->schema_.push_back(column);
        table->columns_.push_back(std::move(v));
    }
    return table;
}

const Value* MemoryTable::column(std::string_view name) const {
    int i = findColumn(name);
    return i < 0 ? nullptr : &columns_[static_cast<size_t>(i)];
}

std::vector<Value>& MemoryTable::mutableColumns() {
    if (keys_) keys_->forgetRows();
    ++changes_;
    return columns_;
}

void MemoryTable::setKeys(std::unique_ptr<TableKeys> keys) {
    if (keys) keys->check(*this);
    keys_ = std::move(keys);
}

void MemoryTable::setColumn(std::string_view name, Value column) {
    // The exact name counts: a table may be made whose columns differ in case only.
    int i = -1;
    for (size_t c = 0; c < schema_.size(); ++c) {
        if (schema_[c].name == name) i = static_cast<int>(c);
    }
    if (i >= 0 && keys_) keys_->refuseChangeOf(name);
    if (!column.isVector()) {
        throw UserError(fmt::format("The column {} must be a vector, but it is {}.", name, typeString(column)));
    }
    bool replacesOnly = i >= 0 && columns_.size() == 1;
    if (!columns_.empty() && !replacesOnly && column.size() != rowCount()) {
        throw UserError(
            fmt::format("The column {} has {} rows, but the table has {}.", name, column.size(), rowCount()));
    }
    ++changes_;
    if (i < 0) {
        schema_.push_back(schemaOf(name, column));
        columns_.push_back(std::move(column));
    } else {
        // An unchanged schema is not written, since appends read types without the lock.
        ColumnSchema& known = schema_[static_cast<size_t>(i)];
        ColumnSchema now = schemaOf(name, column);
        if (known.type != now.type || known.scale != now.scale || known.comment != now.comment) known = std::move(now);
        columns_[static_cast<size_t>(i)] = std::move(column);
    }
}

void MemoryTable::dropColumn(int i) {
    CHECK(i >= 0 && i < columnCount()) << "a dropped column is of the table";
    ++changes_;
    schema_.erase(schema_.begin() + i);
    columns_.erase(columns_.begin() + i);
}

void MemoryTable::renameColumn(int i, std::string name) {
    CHECK(i >= 0 && i < columnCount()) << "a renamed column is of the table";
    if (keys_) keys_->rename(schema_[static_cast<size_t>(i)].name, name);
    schema_[static_cast<size_t>(i)].name = std::move(name);
    ++changes_;
}

// Everything is converted before anything is changed: a column that does not fit leaves the table as it was.
std::vector<Value> MemoryTable::convertedColumns(const MemoryTable& rows) const {
    if (rows.columnCount() != columnCount()) {
        throw UserError(fmt::format("The number of columns of the table to insert must be {}, but it is {}.",
                                    columnCount(), rows.columnCount()),
                        typedColumnsNote(columns()));
    }
    std::vector<Value> converted;
    converted.reserve(schema_.size());
    for (int i = 0; i < columnCount(); ++i) {
        const ColumnSchema& column = schema_[static_cast<size_t>(i)];
        converted.push_back(castForStorage(rows.column(i), column.type, column.name, column.scale));
    }
    return converted;
}

void appendElements(Value& column, const Value& elements) {
    // Other owners keep the elements that they see; new ones are added after those.
    if (column.isUnique() || column.isTuple()) {
        column.makeUnique();
    } else if (column.isArrayVector()) {
        column = Value::of(column.arrayVector().handOver());
    } else {
        column = Value::of(column.vector().handOver());
    }
    if (column.isTuple()) {
        for (int64_t r = 0; r < elements.size(); ++r) column.tuple().elements.push_back(elements.at(r));
    } else if (column.isArrayVector()) {
        column.arrayVector().append(elements.arrayVector());
    } else {
        column.vector().append(elements.vector(), 0, elements.size());
    }
}

static Value firstItems(const Value& column, int64_t count) {
    if (column.isArrayVector()) return Value::of(column.arrayVector().slice(0, count));
    if (!column.isTuple()) return Value::of(column.vector().slice(0, count));
    const auto& elements = column.tuple().elements;
    return Value::of(
        makeRef<Tuple>(std::vector<Value>(elements.begin(), elements.begin() + count), column.tuple().kind));
}

// Appends to all columns or none: memory may run out, or the request may be cancelled.
void MemoryTable::appendColumns(const std::vector<Value>& converted) {
    CHECK(converted.size() == columns_.size()) << "appended rows have the columns of the table";
    const int64_t before = columns_.empty() ? 0 : columns_[0].size();
    try {
        for (size_t i = 0; i < columns_.size(); ++i) {
            appendElements(columns_[i], converted[i]);
        }
    } catch (...) {
        const CancellationScope untilAllAreBack(nullptr);
        for (Value& column : columns_) {
            if (column.size() > before) column = firstItems(column, before);
        }
        throw;
    }
}

// Returns the first row of each key that the table lacks; all other rows are dropped, as they would change nothing.
static std::vector<int32_t> rowsWithNewKeys(const MemoryTable& table, TableKeys& keys, const std::vector<Value>& rows) {
    std::vector<Value> own;
    for (const std::string& name : keys.columns()) own.push_back(rows[static_cast<size_t>(table.findColumn(name))]);
    std::vector<int32_t> kept;
    auto next = static_cast<int32_t>(table.rowCount());
    const std::vector<int32_t> placed = keys.place(table, own);
    CHECK(std::ssize(placed) == own[0].size()) << "each row to append has a place";
    for (size_t i = 0; i < placed.size(); ++i) {
        if (placed[i] != next) continue;
        kept.push_back(static_cast<int32_t>(i));
        ++next;
    }
    return kept;
}

void MemoryTable::append(const MemoryTable& rows) {
    const int64_t before = columns_.empty() ? 0 : columns_[0].size();
    if (keys_ && stream) {
        std::vector<Value> columns = convertedColumns(rows);
        const bool keepsLatest = !keys_->latestBy().empty();
        try {
            const std::vector<int32_t> kept =
                keepsLatest ? latestRows(*this, *keys_, columns) : rowsWithNewKeys(*this, *keys_, columns);
            for (Value& column : columns)
                column = gatherElements(column, kept.data(), static_cast<int64_t>(kept.size()));
            appendColumns(columns);
            if (keepsLatest) {
                std::vector<Value> own;
                for (const std::string& name : keys_->columns())
                    own.push_back(columns[static_cast<size_t>(findColumn(name))]);
                keys_->renew(*this, own, static_cast<int32_t>(before));
            }
        } catch (...) {
            keys_->forgetRows();  // keys may stand for rows that never came
            throw;
        }
    } else if (keys_) {
        upsert(rows, *keys_, false);
    } else {
        appendColumns(convertedColumns(rows));
    }
    if (stream) stream->appended(columns_[0].size() - before);
}

// Returns a copy without the first elements, with room for as many as there were, so that the next appends move none.
static Ref<Vector> keptElements(const Vector& column, int64_t gone) {
    const int64_t kept = column.size() - gone;
    if (storageOf(column.type()) == Storage::String) return column.slice(gone, kept)->copy();  // shares its strings
    Ref<Vector> own = Vector::make(column.type(), 0, column.size());
    own->setScale(column.scale());
    own->append(column, gone, kept);
    return own;
}

void MemoryTable::purge(int64_t count) {
    CHECK(stream && count <= rowCount()) << "the rows to purge are those of a stream table";
    if (keys_) keys_->forgetRows();
    const int64_t kept = rowCount() - count;
    for (Value& column : columns_) {
        if (column.isTuple()) {
            const auto& elements = column.tuple().elements;
            column = Value::of(
                makeRef<Tuple>(std::vector<Value>(elements.begin() + count, elements.end()), column.tuple().kind));
        } else if (column.isArrayVector()) {
            const Ref<ArrayVector> rest = column.arrayVector().slice(count, kept);
            Ref<ArrayVector> own = makeRef<ArrayVector>(elementTypeOf(column.type()), column.extra(), kept);
            own->append(*rest);
            column = Value::of(own);
        } else {
            column = Value::of(keptElements(column.vector(), count));
        }
    }
    stream->purged(count);
}

Ref<MemoryTable> MemoryTable::slice(int64_t begin, int64_t count) const {
    auto result = makeRef<MemoryTable>();
    result->schema_ = schema_;
    for (const Value& column : columns_) {
        CHECK(begin + count <= column.size()) << "a slice is within the rows of its table";
        if (column.isTuple()) {
            const auto& elements = column.tuple().elements;
            result->columns_.push_back(Value::of(makeRef<Tuple>(
                std::vector<Value>(elements.begin() + begin, elements.begin() + begin + count), column.tuple().kind)));
        } else if (column.isArrayVector()) {
            result->columns_.push_back(Value::of(column.arrayVector().slice(begin, count)));
        } else {
            result->columns_.push_back(Value::of(column.vector().slice(begin, count)));
        }
    }
    return result;
}

Ref<MemoryTable> MemoryTable::gather(const int32_t* positions, int64_t count) const {
    auto result = makeRef<MemoryTable>();
    result->schema_ = schema_;
    for (const Value& column : columns_) result->columns_.push_back(gatherElements(column, positions, count));
    return result;
}

template <class Position>
static Value gathered(const Value& column, const Position* positions, int64_t count) {
    if (column.isArrayVector()) return Value::of(column.arrayVector().gather(positions, count));
    if (!column.isTuple()) return Value::of(column.vector().gather(positions, count));
    std::vector<Value> elements;
    elements.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
        bool inside = positions[i] >= 0 && positions[i] < column.size();
        elements.push_back(inside ? column.at(positions[i]) : Value());
    }
    return Value::of(makeRef<Tuple>(std::move(elements), column.tuple().kind));
}

Value gatherElements(const Value& column, const int32_t* positions, int64_t count) {
    return gathered(column, positions, count);
}
Value gatherElements(const Value& column, const int64_t* positions, int64_t count) {
    return gathered(column, positions, count);
}

Value filledColumn(Type type, uint8_t scale, int64_t rows, const Value& element) {
    if (type == Type::Any) {
        return Value::of(makeRef<Tuple>(std::vector<Value>(static_cast<size_t>(rows), element)));
    }
    const Value converted = castForStorage(element, type, "", scale);
    if (type == Type::IotAny) {
        return Value::of(makeRef<Tuple>(std::vector<Value>(static_cast<size_t>(rows), converted), TupleKind::IotAny));
    }
    if (isArrayType(type)) {
        const std::vector<int32_t> first(static_cast<size_t>(rows), 0);
        return Value::of(converted.arrayVector().gather(first.data(), rows));
    }
    Ref<Vector> elements = Vector::filled(type, rows, converted);
    elements->setScale(scale);
    return Value::of(elements);
}

Ref<MemoryTable> MemoryTable::copy() const {
    auto result = makeRef<MemoryTable>();
    result->schema_ = schema_;
    result->columns_ = columns_;
    return result;
}

// Returns a view, so that an append to a reader's copy takes no end of a buffer from the writer.
static Value viewOf(const Value& column) {
    return column.isTuple() ? column : firstItems(column, column.size());
}

Ref<MemoryTable> MemoryTable::snapshot() const {
    const OptionalLock guard(lock.get());
    auto result = makeRef<MemoryTable>();
    result->schema_ = schema_;
    for (const Value& column : columns_) result->columns_.push_back(viewOf(column));
    result->name = name;
    return result;
}

Value MemoryTable::columnToRead(std::string_view name) const {
    const OptionalLock guard(lock.get());
    const Value* found = column(name);
    return !found ? Value() : lock ? viewOf(*found) : *found;
}

Ref<MemoryTable> tableToRead(Table& table) {
    MemoryTable* memory = table.asMemory();
    return memory && memory->lock ? memory->snapshot() : Ref<MemoryTable>(memory);
}

Ref<MemoryTable> MemoryTable::copyWithKeys() const {
    Ref<MemoryTable> result = copy();
    if (keys_) result->keys_ = keys_->withoutRows();
    if (stream) {
        result->stream = stream->withoutRows();
        result->stream->appended(result->rowCount());
    }
    result->isMultiVersion = isMultiVersion;
    return result;
}

void MemoryTable::restore(const MemoryTable& earlier) {
    if (keys_) keys_->forgetRows();
    ++changes_;
    schema_ = earlier.schema_;
    columns_ = earlier.columns_;
}

Value MemoryTable::row(int64_t i) const {
    auto result = makeRef<Dictionary>(Type::String, Type::Any, true);
    for (size_t c = 0; c < columns_.size(); ++c) {
        result->set(Value::ofString(schema_[c].name), columns_[c].at(i));
    }
    return Value::of(result);
}

}  // namespace pelorus
