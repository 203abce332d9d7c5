// x in y: whether values are among others.
#include <algorithm>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/lookup/membership.h"
#include "runtime/table/table.h"
#include "runtime/table/table_keys.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/element_width.h"
#include "runtime/value/symbol_base.h"

namespace pelorus {

static KeyIndex indexOf(const Value& y) {
    KeyIndex index(y.type());
    if (y.isTuple()) {
        for (const Value& element : y.tuple().elements) index.insert(element);
        return index;
    }
    std::vector<int32_t> positions(static_cast<size_t>(y.size()));
    index.insertAll(y.vector(), positions.data());
    return index;
}

// Implements the language's rule for `in`, unlike ==: a fraction becomes the type of the keys, 1.1 is in 1 2 3.
static bool isRounded(const Value& x, Type keys) {
    return isIntegral(keys) && (x.isScalar() || x.isVector()) && isFloating(x.type());
}

static Value lookUp(const Value& x, const KeyIndex& index) {
    if (isRounded(x, index.type())) return lookUp(cast(x, index.type()), index);
    if (x.isScalar()) return Value::ofBool(index.find(x) >= 0);
    if (x.isMatrix()) {
        const Value cells = lookUp(Value::of(x.matrix().cells), index);
        return Value::of(x.matrix().withCells(Ref<Vector>(&cells.vector())));
    }
    if (x.isTuple()) return mapContainer(x, [&](const Value& element) { return lookUp(element, index); });
    Ref<Vector> result = Vector::make(Type::Bool, x.size());
    auto* out = result->mutableData<int8_t>();
    const Vector& elements = x.vector();
    if (elements.type() == Type::Symbol && isLiteral(index.type()) && index.size() <= x.size()) {
        // Marks the codes of the strings that are searched.
        std::vector<int8_t> wanted;
        for (int64_t k = 0; k < index.size(); ++k) {
            const int32_t code = symbols::find(index.key(k).string());
            if (code < 0) continue;
            if (static_cast<size_t>(code) >= wanted.size()) wanted.resize(static_cast<size_t>(code) + 1, 0);
            wanted[static_cast<size_t>(code)] = 1;
        }
        const int32_t* codes = elements.data<int32_t>();
        for (int64_t i = 0; i < x.size(); ++i) {
            const auto code = static_cast<size_t>(codes[i]);
            out[i] = code < wanted.size() ? wanted[code] : 0;
        }
    } else if (elements.type() == Type::Symbol) {
        // There is one lookup per distinct code.
        std::vector<int8_t> known;
        for (int64_t i = 0; i < x.size(); ++i) {
            auto code = static_cast<size_t>(elements.data<int32_t>()[i]);
            if (code >= known.size()) known.resize(std::max(code + 1, known.size() * 2), -1);
            if (known[code] < 0) known[code] = index.find(elements.at(i)) >= 0;
            out[i] = known[code];
        }
    } else if (elements.type() == index.type()) {
        std::vector<int32_t> positions(static_cast<size_t>(x.size()));
        index.findAll(elements, positions.data());
        for (int64_t i = 0; i < x.size(); ++i) out[i] = positions[static_cast<size_t>(i)] >= 0;
    } else {
        for (int64_t i = 0; i < x.size(); ++i) out[i] = index.find(elements.at(i)) >= 0;
    }
    return Value::of(result);
}

// Looks up few values among many of their type by hashing the few and scanning the many once. Returns the result of
// lookUp, or nothing where that has to do it.
static Value fewAmongMany(const Value& few, const Value& many) {
    constexpr int64_t kMany = 8;  // times as many: below, an index of them costs little
    constexpr int64_t kPiece = 65536;
    if (!many.isTypedVector() || !(few.isScalar() || few.isTypedVector()) || few.size() > many.size() / kMany)
        return {};
    const bool isFraction = isIntegral(many.type()) && isFloating(few.type());
    const bool isNarrower =
        isIntegral(many.type()) && isIntegral(few.type()) && widthOf(few.type()) <= widthOf(many.type());
    if (few.type() != many.type() && !isFraction && !isNarrower) return {};
    if (isDecimal(many.type())) return {};
    const Value wanted = cast(few, many.type());
    KeyIndex keys(many.type());
    std::vector<int32_t> positions(static_cast<size_t>(few.size()));
    const Ref<Vector> elements =
        wanted.isScalar() ? Vector::filled(many.type(), 1, wanted) : Ref<Vector>(&wanted.vector());
    keys.insertAll(*elements, positions.data());
    std::vector<int8_t> isFound(static_cast<size_t>(keys.size()), 0);
    int64_t left = keys.size();
    std::vector<int8_t> marks(kPiece);
    std::vector<int32_t> found(kPiece);
    const std::optional<AmongIntegers> integers = AmongIntegers::of(keys.keys().vector());
    for (int64_t begin = 0; begin < many.size() && left > 0; begin += kPiece) {
        checkCancelled();
        const Ref<Vector> piece = many.vector().slice(begin, std::min(kPiece, many.size() - begin));
        if (integers && integers->find(*piece, marks.data()) &&
            std::find(marks.begin(), marks.begin() + piece->size(), 1) == marks.begin() + piece->size())
            continue;
        keys.findAll(*piece, found.data());
        for (int64_t i = 0; i < piece->size(); ++i) {
            if (found[static_cast<size_t>(i)] < 0) continue;
            int8_t& one = isFound[static_cast<size_t>(found[static_cast<size_t>(i)])];
            left -= one == 0;
            one = 1;
        }
    }
    Ref<Vector> result = Vector::make(Type::Bool, few.size());
    auto* out = result->mutableData<int8_t>();
    for (size_t i = 0; i < positions.size(); ++i) out[i] = isFound[static_cast<size_t>(positions[i])];
    result->setMayHaveNull(false);
    return few.isScalar() ? result->at(0) : Value::of(result);
}

// Returns whether each key, given as one vector or scalar per column of the key, is in a keyed table.
static Value isKeyOf(const Value& x, const MemoryTable& table) {
    const std::vector<int32_t> rows = table.keys()->find(table, table.keys()->columnsOf(x));
    Ref<Vector> result = Vector::make(Type::Bool, static_cast<int64_t>(rows.size()));
    for (size_t i = 0; i < rows.size(); ++i) result->mutableData<int8_t>()[i] = rows[i] >= 0;
    return isOneKey(x) ? result->at(0) : Value::of(result);
}

Value isIn(const Value& x, const Value& y) {
    if (x.isSet()) return isIn(x.set().index.keys(), y);
    if (x.isArrayVector()) {
        return mapContainer(x, [&](const Value& values) { return isIn(values, y); });
    }
    if (y.isArrayVector()) throw UserError(1, "Y can't be an array vector.", "Use flatten(y) for all of its elements.");
    if (y.isVoid())
        return mapContainer(x, [](const Value& v) -> Value {
            if (v.isScalar()) return Value::ofBool(false);
            if (v.isMatrix()) {
                const int64_t cells = v.matrix().cells->size();
                return Value::of(v.matrix().withCells(Vector::filled(Type::Bool, cells, Value::ofBool(false))));
            }
            return Value::of(Vector::filled(Type::Bool, v.size(), Value::ofBool(false)));
        });
    if (y.isSet()) {
        const KeyIndex& index = y.set().index;
        return x.isTypedVector() && x.size() >= index.size() ? Membership(y).of(x) : lookUp(x, index);
    }
    if (y.isDictionary()) {
        Value keys = y.dictionary().keys();
        return lookUp(x, indexOf(keys));
    }
    if (y.isPair()) return isBetween(x, y);
    if (y.isScalar()) return applyBinary(Operator::Eq, x, y);
    if (y.isTable()) {
        const Ref<MemoryTable> table = tableToRead(y);
        if (table && table->keys()) return isKeyOf(x, *table);
        if (!table || table->columnCount() != 1)
            throw UserError(1, "The right side of in must be a table of one column.");
        return isIn(x, table->column(0));
    }
    if (y.isMatrix()) return isIn(x, Value::of(y.matrix().cells));
    if (y.isTuple()) {
        // (1, 2) contains the same as [1, 2], and numbers of other types are found in it.
        const Value list = listOf(y.tuple().elements);
        if (list.isTypedVector()) return isIn(x, list);
    }
    if (Value found = fewAmongMany(x, y); !found.isVoid()) return found;
    return y.isTypedVector() ? Membership(y).of(x) : lookUp(x, indexOf(y));
}

Membership::Membership(Value among) : among_(std::move(among)) {}

const KeyIndex& Membership::index() const {
    if (among_.isSet()) return among_.set().index;
    indexing_.call([&] { index_ = indexOf(among_); });
    return *index_;
}

Value Membership::of(const Value& x) const {
    // The first few values may be all there are: they are searched among all without an index.
    if (among_.isTypedVector() && asked_.load(std::memory_order_relaxed) < among_.size()) {
        asked_.fetch_add(std::max(x.size(), among_.size() / 4), std::memory_order_relaxed);
        if (Value found = fewAmongMany(x, among_); !found.isVoid()) return found;
    }
    return lookUp(x);
}

Value Membership::lookUp(const Value& x) const {
    const Type keys = among_.isSet() ? among_.set().index.type() : among_.type();
    if (isRounded(x, keys)) return lookUp(cast(x, keys));
    if (!x.isTypedVector()) return pelorus::lookUp(x, index());
    findingRange_.call([&] {
        const Value all = among_.isSet() ? among_.set().index.keys() : among_;
        if (all.isTypedVector()) integers_ = AmongIntegers::of(all.vector());
    });
    if (integers_) {
        Ref<Vector> result = Vector::make(Type::Bool, x.size());
        if (integers_->find(x.vector(), result->mutableData<int8_t>())) return Value::of(result);
    }
    return pelorus::lookUp(x, index());
}

}  // namespace pelorus
