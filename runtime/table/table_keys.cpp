#include "runtime/table/table_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/check.h"
#include "common/error.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/row_numbers.h"
#include "runtime/value/cast.h"

namespace pelorus {

// Keys of several columns are looked up as one string: each value with its length, so that no two keys share it.
static Type indexType(const std::vector<Type>& types) {
    return types.size() == 1 ? types[0] : Type::String;
}

static void addItem(std::string& key, const Vector& column, int64_t row) {
    if (isLiteral(column.type())) {
        const std::string_view string = column.string(row);
        const auto size = static_cast<uint32_t>(string.size());
        key.append(reinterpret_cast<const char*>(&size), sizeof size).append(string);
    } else if (storageOf(column.type()) == Storage::Bytes16) {
        key.append(reinterpret_cast<const char*>(column.at(row).bytes16()), 16);
    } else {
        const int64_t element = column.isNullAt(row) ? INT64_MIN : column.asLong(row);
        key.append(reinterpret_cast<const char*>(&element), sizeof element);
    }
}

static Ref<Vector> keysOf(const std::vector<Value>& columns) {
    if (columns.size() == 1) return Ref<Vector>(&columns[0].vector());
    for (const Value& column : columns)
        CHECK(column.size() == columns[0].size()) << "the columns of a key have as many rows";
    Ref<Vector> keys = Vector::make(Type::String, 0, columns[0].size());
    std::string key;
    for (int64_t row = 0; row < columns[0].size(); ++row) {
        key.clear();
        for (const Value& column : columns) addItem(key, column.vector(), row);
        keys->append(Value::ofString(key));
    }
    return keys;
}

CompositeKeyIndex::CompositeKeyIndex(const std::vector<Type>& types) : index_(indexType(types)) {}

std::vector<int32_t> CompositeKeyIndex::insertAll(const std::vector<Value>& columns) {
    std::vector<int32_t> positions(static_cast<size_t>(columns[0].size()));
    index_.insertAll(*keysOf(columns), positions.data());
    return positions;
}

std::vector<int32_t> CompositeKeyIndex::findAll(const std::vector<Value>& columns) const {
    std::vector<int32_t> positions(static_cast<size_t>(columns[0].size()));
    index_.findAll(*keysOf(columns), positions.data());
    return positions;
}

static std::vector<Type> typesOf(const std::vector<Value>& columns) {
    std::vector<Type> types;
    for (const Value& column : columns) types.push_back(column.type());
    return types;
}

TableKeys::TableKeys(std::vector<std::string> columns, std::string timeColumn, bool ordered,
                     std::vector<std::string> latestBy)
    : columns_(std::move(columns)),
      timeColumn_(std::move(timeColumn)),
      ordered_(ordered),
      latestBy_(std::move(latestBy)) {}

bool TableKeys::contains(std::string_view column) const {
    return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

void TableKeys::check(const MemoryTable& table) const {
    if (columns_.empty()) throw UserError(0, "A key has at least one column.");
    for (const std::string& name : columns_) {
        const Value* column = table.column(name);
        if (!column) throw unknownColumn(name, table.columns(), 0);
        const Type type = column->type();
        const bool fits =
            column->isTypedVector() && (isIntegral(type) || isTemporal(type) || isLiteral(type) || isFloating(type) ||
                                        type == Type::Bool || storageOf(type) == Storage::Bytes16);
        if (!fits) {
            throw UserError(0, fmt::format("The key column {} must be numeric, temporal or a string, but it is {}.",
                                           name, typeName(type)));
        }
    }
    if (!timeColumn_.empty()) {
        const Value* time = table.column(timeColumn_);
        if (!time) throw unknownColumn(timeColumn_, table.columns(), 1);
        if (!time->isTypedVector() || !(isIntegral(time->type()) || isTemporal(time->type()))) {
            throw UserError(1, fmt::format("The time column {} must be temporal or integral, but it is {}.",
                                           timeColumn_, typeName(time->type())));
        }
    }
    checkTimes(table);
    if (!latestBy_.empty()) return;
    ensureRows(table);
    if (index_->size() < table.rowCount()) {
        throw UserError("A keyed/indexed table can't contain duplicated keys. RefId: S05012");
    }
}

void TableKeys::checkTimes(const MemoryTable& table) const {
    for (const std::string& name : latestBy_) {
        const Value* time = table.column(name);
        if (!time) throw unknownColumn(name, table.columns(), 1);
        if (!time->isTypedVector() || !(isIntegral(time->type()) || isTemporal(time->type())))
            throw UserError(1, fmt::format("The time column {} must be temporal or integral, but it is {}.", name,
                                           typeName(time->type())));
    }
    if (latestBy_.size() < 2) return;
    const Type day = table.column(latestBy_[0])->type(), time = table.column(latestBy_[1])->type();
    const bool isTime = time == Type::Time || time == Type::Second || time == Type::NanoTime;
    if (latestBy_.size() > 2 || day != Type::Date || !isTime)
        throw UserError(1, "timeColumn must be one column, or a DATE and a TIME, SECOND or NANOTIME.");
}

void TableKeys::refuseChangeOf(std::string_view column) const {
    if (contains(column)) {
        throw UserError("Can't update a key column.",
                        fmt::format("{} is of the key: delete the rows and insert them with the new one.", column));
    }
}

void TableKeys::rename(std::string_view column, std::string_view to) {
    std::replace(columns_.begin(), columns_.end(), std::string(column), std::string(to));
    std::replace(latestBy_.begin(), latestBy_.end(), std::string(column), std::string(to));
    if (timeColumn_ == column) timeColumn_ = to;
}

void TableKeys::forgetRows() {
    index_.reset();
    rows_.clear();
}

std::unique_ptr<TableKeys> TableKeys::withoutRows() const {
    return std::make_unique<TableKeys>(columns_, timeColumn_, ordered_, latestBy_);
}

void TableKeys::ensureRows(const MemoryTable& table) const {
    const MutexLock guard(mutex_);
    if (index_) return;
    std::vector<Value> keys;
    for (const std::string& name : columns_) keys.push_back(*table.column(name));
    auto index = std::make_unique<CompositeKeyIndex>(typesOf(keys));
    const std::vector<int32_t> positions = index->insertAll(keys);
    rows_.assign(static_cast<size_t>(index->size()), -1);
    for (size_t row = 0; row < positions.size(); ++row) {
        int32_t& rowOfKey = rows_[static_cast<size_t>(positions[row])];
        if (rowOfKey < 0 || !latestBy_.empty()) rowOfKey = static_cast<int32_t>(row);
    }
    index_ = std::move(index);
}

std::vector<Value> TableKeys::converted(const MemoryTable& table, const std::vector<Value>& keys) const {
    CHECK(keys.size() <= columns_.size()) << "a key has no more columns than its table gives it";
    std::vector<Value> result;
    for (size_t i = 0; i < keys.size(); ++i) result.push_back(cast(keys[i], table.column(columns_[i])->type()));
    return result;
}

std::vector<int32_t> TableKeys::find(const MemoryTable& table, const std::vector<Value>& keys) const {
    ensureRows(table);
    std::vector<int32_t> found = index_->findAll(converted(table, keys));
    for (int32_t& at : found) {
        if (at >= 0) at = rows_[static_cast<size_t>(at)];
    }
    return found;
}

std::vector<int32_t> TableKeys::place(const MemoryTable& table, const std::vector<Value>& keys) {
    requireRowNumbers(table.rowCount() + (keys.empty() ? 0 : keys[0].size()));
    ensureRows(table);
    std::vector<int32_t> found = index_->insertAll(converted(table, keys));
    for (auto row = static_cast<int32_t>(table.rowCount()); rows_.size() < static_cast<size_t>(index_->size()); ++row) {
        rows_.push_back(row);
    }
    CHECK(std::ssize(rows_) == index_->size()) << "each key has the first of its rows";
    for (int32_t& at : found) at = rows_[static_cast<size_t>(at)];
    return found;
}

void TableKeys::renew(const MemoryTable& table, const std::vector<Value>& keys, int32_t first) {
    CHECK(!latestBy_.empty()) << "only tables that keep all rows of a key have newer ones";
    const std::vector<int32_t> positions = index_->insertAll(converted(table, keys));
    rows_.resize(static_cast<size_t>(index_->size()));
    for (const int32_t position : positions) rows_[static_cast<size_t>(position)] = first++;
}

static Value asVector(const Value& v, int64_t rows) {
    if (!v.isScalar()) return v;
    return Value::of(Vector::filled(v.type(), rows, v));
}

std::vector<Value> TableKeys::columnsOf(const Value& keys, bool prefix) const {
    std::vector<Value> given;
    if (keys.isTuple()) {
        given = keys.tuple().elements;
    } else if (keys.isScalar() || columns_.size() == 1 || prefix) {
        given = {keys};  // if the first columns are enough, a vector holds values of the first one
    } else {
        for (int64_t i = 0; i < keys.size(); ++i) given.push_back(keys.at(i));
    }
    if (given.empty() || given.size() > columns_.size() || (!prefix && given.size() < columns_.size())) {
        throw UserError(fmt::format("The key of the table has {} columns, but values for {} are given.",
                                    columns_.size(), given.size()),
                        "Give one scalar or vector for each column of the key, as in (`a`b, 1 2).");
    }
    int64_t rows = 1;
    for (const Value& v : given) {
        if (!v.isScalar()) rows = v.size();
    }
    for (Value& v : given) {
        v = asVector(v, rows);
        if (!v.isTypedVector() || v.size() != rows) {
            throw UserError("The values of the columns of a key must be vectors of one length.");
        }
    }
    return given;
}

namespace {

// Times of one column, or of a date and a time of the day.
class RowTimes {
public:
    using Time = std::pair<int64_t, int64_t>;

    RowTimes(const MemoryTable& table, const std::vector<std::string>& names, const std::vector<Value>& columns) {
        for (const std::string& name : names)
            columns_.push_back(&columns[static_cast<size_t>(table.findColumn(name))].vector());
    }
    Time at(int64_t row) const {
        return {partOf(*columns_[0], row), columns_.size() > 1 ? partOf(*columns_[1], row) : 0};
    }

private:
    static int64_t partOf(const Vector& column, int64_t row) {
        return column.isNullAt(row) ? null<int64_t> : column.asLong(row);
    }
    std::vector<const Vector*> columns_;
};

// What is known of a key while an append is looked through.
struct LatestOfKey {
    bool isKnown = false;  // by the table
    RowTimes::Time time;
    int32_t row = -1;  // of a new key: the row of the append that is kept so far
};

}  // namespace

std::vector<int32_t> latestRows(const MemoryTable& table, const TableKeys& keys, const std::vector<Value>& columns) {
    std::vector<Value> own, present;
    std::vector<Type> types;
    for (const std::string& name : keys.columns()) {
        own.push_back(columns[static_cast<size_t>(table.findColumn(name))]);
        types.push_back(own.back().type());
    }
    for (int c = 0; c < table.columnCount(); ++c) present.push_back(table.column(c));
    const RowTimes times(table, keys.latestBy(), columns), before(table, keys.latestBy(), present);
    const std::vector<int32_t> known = keys.find(table, own);
    CompositeKeyIndex index(types);
    const std::vector<int32_t> numbers = index.insertAll(own);
    std::vector<LatestOfKey> latest(static_cast<size_t>(index.size()));
    std::vector<int32_t> kept;
    for (size_t i = 0; i < numbers.size(); ++i) {
        LatestOfKey& key = latest[static_cast<size_t>(numbers[i])];
        const auto row = static_cast<int32_t>(i);
        const RowTimes::Time time = times.at(row);
        if (known[i] >= 0 && !key.isKnown) key = {true, before.at(known[i]), -1};
        if (key.isKnown) {
            if (time <= key.time) continue;
            key.time = time;
            kept.push_back(row);
        } else if (key.row < 0 || time > key.time) {
            key.row = row;
            key.time = time;
        }
    }
    for (const LatestOfKey& key : latest) {
        if (key.row >= 0) kept.push_back(key.row);
    }
    std::sort(kept.begin(), kept.end());
    return kept;
}

bool isOneKey(const Value& keys) {
    if (!keys.isTuple()) return keys.isScalar();
    const auto& elements = keys.tuple().elements;
    return std::all_of(elements.begin(), elements.end(), [](const Value& element) { return element.isScalar(); });
}

}  // namespace pelorus
