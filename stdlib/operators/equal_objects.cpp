// eqObj: whether two objects are of one form, type and content.
#include <cmath>

#include "common/thread/stack_room.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

bool areEqual(const Value& x, const Value& y, double tolerance);

bool areEqualItems(const Value& x, const Value& y, double tolerance) {
    if (x.size() != y.size()) return false;
    for (int64_t i = 0; i < x.size(); ++i) {
        if (!areEqual(x.at(i), y.at(i), tolerance)) return false;
    }
    return true;
}

// NULL equals NULL. Of FLOAT and DOUBLE, those that are no numbers count as equal too.
bool areEqualScalars(const Value& x, const Value& y, double tolerance) {
    if (x.isNull() || y.isNull()) return x.isNull() && y.isNull();
    if (isDecimal(x.type()) || isDecimal(y.type())) {
        if (!isDecimal(x.type()) || !isDecimal(y.type())) return false;
        return isTrue(applyBinary(Operator::Eq, x, y));
    }
    if (isLiteral(x.type())) return x.string() == y.string();
    if (!isFloating(x.type())) return identical(x, y);
    const double a = x.asDouble(), b = y.asDouble();
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::fabs(a - b) <= tolerance;
}

// Strings have one type whatever their storage, decimals whatever their width and scale. Inside a tuple the widths of
// integers and of floating point numbers do not matter either: a list of constants has one type for all.
bool areOneType(Type x, Type y, bool inTuple) {
    if (x == y) return true;
    if (isLiteral(x) && isLiteral(y)) return x != Type::Blob && y != Type::Blob;
    if (isDecimal(x) && isDecimal(y)) return true;
    if (!inTuple) return false;
    return (isIntegral(x) && isIntegral(y)) || (isFloating(x) && isFloating(y));
}

bool areEqualInTuple(const Value& x, const Value& y, double tolerance) {
    if (x.isScalar() && y.isScalar()) {
        if (x.isNull() && y.isNull()) return true;
        if (x.type() != y.type() && areOneType(x.type(), y.type(), true) && isNumeric(x.type())) {
            return areEqualScalars(cast(x, isFloating(x.type()) ? Type::Double : Type::Long),
                                   cast(y, isFloating(y.type()) ? Type::Double : Type::Long), tolerance);
        }
    }
    return areEqual(x, y, tolerance);
}

bool areEqualTables(const Ref<MemoryTable>& x, const Ref<MemoryTable>& y, double tolerance) {
    if (!x || !y || x->columnCount() != y->columnCount()) return false;
    for (int i = 0; i < x->columnCount(); ++i) {
        const auto at = static_cast<size_t>(i);
        if (x->columns()[at].name != y->columns()[at].name) return false;
        if (!areEqual(x->column(i), y->column(i), tolerance)) return false;
    }
    return true;
}

bool areEqual(const Value& x, const Value& y, double tolerance) {
    requireStackRoom();
    if (x.form() != y.form()) return false;
    if (x.isTuple() && y.isTuple()) {
        const auto &a = x.tuple().elements, &b = y.tuple().elements;
        if (a.size() != b.size()) return false;
        for (size_t i = 0; i < a.size(); ++i) {
            if (!areEqualInTuple(a[i], b[i], tolerance)) return false;
        }
        return true;
    }
    if (!areOneType(x.type(), y.type(), false)) return false;
    switch (x.form()) {
        case Form::Scalar:
            return x.isVoid() || storageOf(x.type()) == Storage::Boxed ? identical(x, y)
                                                                       : areEqualScalars(x, y, tolerance);
        case Form::Vector:
        case Form::Pair:
            return areEqualItems(x, y, tolerance);
        case Form::Matrix:
            return x.matrix().rows == y.matrix().rows && x.matrix().columns == y.matrix().columns &&
                   areEqualItems(Value::of(x.matrix().cells), Value::of(y.matrix().cells), tolerance);
        case Form::Dictionary: {
            if (x.size() != y.size()) return false;
            for (int64_t i = 0; i < x.size(); ++i) {
                const Value key = x.dictionary().keyAt(i);
                if (!y.dictionary().contains(key)) return false;
                if (!areEqualInTuple(x.dictionary().valueAt(i), y.dictionary().get(key), tolerance)) return false;
            }
            return true;
        }
        case Form::Table:
            return areEqualTables(tableToRead(x), tableToRead(y), tolerance);
        default:
            return identical(x, y);
    }
}

// Without a precision, differences in the last digits of a DOUBLE are ignored: 29.9 - 9.8 is 20.1.
constexpr double kRounding = 1e-12;

// eqObj(obj1, obj2, [precision])
Value eqObjKernel(Context&, Arguments arguments) {
    const double tolerance =
        isGiven(arguments, 2) ? std::pow(10.0, -realArgument(arguments, 2, "precision")) : kRounding;
    return Value::ofBool(areEqual(arguments[0], arguments[1], tolerance));
}

}  // namespace

void registerEqualObjects(FunctionRegistry& registry) {
    registry.add(
        "eqObj(obj1, obj2, [precision])", eqObjKernel,
        {.summary = "Whether two objects are equal in type, form and content, as BOOL; with precision, whether "
                    "numbers agree to so many decimals, inside tuples, dictionaries and tables too.",
         .parameters = "obj1: any value\n"
                       "obj2: any value\n"
                       "precision: to how many decimals numbers agree; but for rounding they are equal when omitted",
         .nulls = "NULL equals NULL.",
         .example = "eqObj(1 2 3, 1 2 3) -> true"});
}

}  // namespace pelorus
