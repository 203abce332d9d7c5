// Operations on a value of any form: its size, its elements, and whether it is identical to another one.
#include <cstring>

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

Value Value::of(Ref<Table> table) {
    return ofObject(Type::Any, Form::Table, table.detach());
}

void Value::makeUnique() {
    if (!tag_.heap || isUnique()) return;
    switch (tag_.form) {
        case Form::Vector:
            if (tag_.type == Type::Any) {
                *this = of(makeRef<Tuple>(tuple().elements, tuple().kind));
                return;
            }
            if (isArrayVector()) {
                *this = of(arrayVector().copy());
                return;
            }
            [[fallthrough]];
        case Form::Pair:
            *this = of(vector().copy(), tag_.form);
            return;
        case Form::Matrix: {
            *this = of(matrix().withCells(matrix().cells->copy()));
            return;
        }
        case Form::Set:
            *this = of(set().copy());
            return;
        case Form::Dictionary:
            *this = of(dictionary().copy());
            return;
        case Form::Chart:
            *this = ofChart(dictionary().copy());
            return;
        case Form::Table:
            // Shared and partitioned tables are one object for all sessions.
            if (const MemoryTable* memory = table().asMemory(); memory && !memory->lock) {
                *this = of(Ref<Table>(memory->copyWithKeys()));
            }
            return;
        default:
            return;
    }
}

int64_t Value::size() const {
    switch (tag_.form) {
        case Form::Scalar:
            return 1;
        case Form::Vector:
            if (isArrayVector()) return arrayVector().size();
            return isTuple() ? static_cast<int64_t>(tuple().elements.size()) : vector().size();
        case Form::Pair:
            return vector().size();
        case Form::Matrix:
            return matrix().rows * matrix().columns;
        case Form::Set:
            return set().index.size();
        case Form::Dictionary:
            return dictionary().size();
        case Form::Table:
            return table().rowCount();
        default:
            return 1;
    }
}

Value Value::at(int64_t i) const {
    switch (tag_.form) {
        case Form::Vector:
            if (isTuple()) return tuple().elements[static_cast<size_t>(i)];
            if (isArrayVector()) return of(arrayVector().row(i));
            return vector().at(i);
        case Form::Pair:
            return vector().at(i);
        case Form::Matrix:
            // size() counts cells: code that iterates up to it comes here too.
            if (i >= matrix().columns) throw UserError("A vector is expected, but a matrix is given.");
            return of(matrix().column(i));
        case Form::Set:
            return set().index.key(i);
        case Form::Dictionary:
            return dictionary().valueAt(i);
        case Form::Table:
            if (Ref<MemoryTable> memory = tableToRead(*this)) {
                // Rows of a shared table may have been removed since they were counted.
                if (i < memory->rowCount()) return memory->row(i);
                constexpr int32_t kNone = -1;
                return memory->gather(&kNone, 1)->row(0);
            }
            throw UserError("A partitioned table cannot be read by row position.", "Use select to read from it.");
        default:
            return *this;
    }
}

static bool identicalItems(const Value& a, const Value& b) {
    int64_t n = a.size();
    if (n != b.size()) return false;
    for (int64_t i = 0; i < n; ++i) {
        if (!identical(a.at(i), b.at(i))) return false;
    }
    return true;
}

static bool identicalScalars(const Value& a, const Value& b) {
    if (isLiteral(a.type())) return a.string() == b.string();
    switch (storageOf(a.type())) {
        case Storage::Bytes16:
            return std::memcmp(a.bytes16(), b.bytes16(), 16) == 0;
        case Storage::None:
            return true;
        default:
            return a.integer() == b.integer() && a.unit() == b.unit() &&
                   (!isDecimal(a.type()) || a.extra() == b.extra());
    }
}

bool identical(const Value& a, const Value& b) {
    if (a.type() != b.type() || a.form() != b.form()) return false;
    if (a.hasObject() && b.hasObject() && a.object() == b.object()) return true;
    if (!a.isScalar()) requireStackRoom();
    switch (a.form()) {
        case Form::Scalar:
            return identicalScalars(a, b);
        case Form::Vector:
        case Form::Pair:
            return identicalItems(a, b);
        case Form::Matrix:
            return a.matrix().rows == b.matrix().rows && a.matrix().columns == b.matrix().columns &&
                   identicalItems(a.matrix().cells->size() ? Value::of(a.matrix().cells) : Value(),
                                  b.matrix().cells->size() ? Value::of(b.matrix().cells) : Value());
        case Form::Set: {
            if (a.size() != b.size()) return false;
            for (int64_t i = 0; i < a.size(); ++i) {
                if (b.set().index.find(a.at(i)) < 0) return false;
            }
            return true;
        }
        case Form::Dictionary:
        case Form::Chart: {
            if (a.dictionary().size() != b.dictionary().size()) return false;
            for (int64_t i = 0; i < a.dictionary().size(); ++i) {
                Value key = a.dictionary().keyAt(i);
                if (!b.dictionary().contains(key) || !identical(a.dictionary().valueAt(i), b.dictionary().get(key))) {
                    return false;
                }
            }
            return true;
        }
        case Form::Table: {
            const Ref<MemoryTable> left = tableToRead(a);
            const Ref<MemoryTable> right = tableToRead(b);
            if (!left || !right || left->columnCount() != right->columnCount()) return false;
            for (int i = 0; i < left->columnCount(); ++i) {
                if (left->columns()[static_cast<size_t>(i)].name != right->columns()[static_cast<size_t>(i)].name ||
                    !identical(left->column(i), right->column(i))) {
                    return false;
                }
            }
            return true;
        }
        default:
            return false;
    }
}

}  // namespace pelorus
