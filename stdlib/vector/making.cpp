// Construction and size of vectors: array, take, rand, size and related functions.
#include <algorithm>
#include <random>

#include "common/thread/cancellation.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/random.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

std::mt19937_64& randomGenerator() {
    thread_local std::mt19937_64 engine{std::random_device{}()};
    return engine;
}

double unitRandom() {
    return unitOf(randomGenerator());
}

uint64_t seedArgument(Arguments arguments, size_t i, std::string_view name) {
    return isGiven(arguments, i) ? static_cast<uint64_t>(integerArgument(arguments, i, name)) : randomGenerator()();
}

std::mt19937_64 seededGenerator(Arguments arguments, size_t i, std::string_view name) {
    return std::mt19937_64(seedArgument(arguments, i, name));
}

namespace {

constexpr int64_t kMaxElements = INT32_MAX;  // maximum size of a vector that is made at once

int64_t sizeArgument(Arguments arguments, size_t i, std::string_view name, int64_t whenOmitted) {
    int64_t size = integerArgument(arguments, i, name, whenOmitted);
    if (size < 0) refuseArgument(i, name, "at least 0", arguments[i]);
    if (size > kMaxElements)
        throw UserError(
            static_cast<int>(i),
            fmt::format("{} is too large: a vector has at most {} elements. RefId: S05011", name, kMaxElements));
    return size;
}

// array(dataType, [initialSize=0], [capacity], [defaultValue])
Value arrayFrom(Arguments arguments) {
    const TypeSpec spec = typeOfValue(arguments[0], 0, "dataType");
    const Type type = spec.type;
    int64_t size = sizeArgument(arguments, 1, "initialSize", 0);
    int64_t capacity = sizeArgument(arguments, 2, "capacity", size);
    if (isArrayType(type)) {
        if (size != 0) throw UserError(1, "initialSize must be 0 for an array vector.", "Append its rows.");
        return Value::of(makeRef<ArrayVector>(elementTypeOf(type), spec.scale, std::min<int64_t>(capacity, 1 << 24)));
    }
    if (type == Type::Any) return Value::of(makeRef<Tuple>(std::vector<Value>(static_cast<size_t>(size))));
    if (type == Type::Void) throw UserError(0, "Not allowed to create void vector. RefId: S05005");
    if (storageOf(type) == Storage::Boxed || storageOf(type) == Storage::None)
        refuseArgument(0, "dataType", "a type that vectors can hold", arguments[0]);
    Value element;
    if (arguments.size() > 3 && arguments[3].isVoid() && !isOmitted(arguments[3])) {
        element = Value::nullOf(type);  // NULL given on purpose
        element.setExtra(spec.scale);
    } else if (isGiven(arguments, 3)) {
        if (!arguments[3].isScalar()) refuseArgument(3, "defaultValue", "an element", arguments[3]);
        element = castFitting(arguments[3], type, spec.scale);
    } else if (isDecimal(type)) {
        element = cast(Value::ofInt(0), type, spec.scale);
    } else if (isNumeric(type) || isTemporal(type)) {
        element = isFloating(type) ? cast(Value::ofDouble(0), type) : Value::scalar(type, 0);
    } else {
        element = Value::nullOf(type);
    }
    Ref<Vector> v = Vector::make(type, 0, std::max(capacity, size));
    v->setScale(spec.scale);
    if (size > 0) v->append(*Vector::filled(type, size, element), 0, size);
    return Value::of(v);
}

// array(x): as many elements as the vector x, of its type; array(x, capacity=n): no elements. Array vectors begin
// empty.
Value arrayKernel(Context&, Arguments arguments) {
    if (!arguments[0].isVector() || arguments[0].isTuple()) return arrayFrom(arguments);
    const bool alone = !isGiven(arguments, 1) && !isGiven(arguments, 2) && !isGiven(arguments, 3);
    const int64_t size = alone && !arguments[0].isArrayVector() ? arguments[0].size() : 0;
    const bool decimals = isDecimal(elementTypeOf(arguments[0].type()));
    std::vector<Value> like = {Value::ofInt(decimals ? typeConstant(arguments[0].type(), arguments[0].extra())
                                                     : static_cast<int32_t>(arguments[0].type())),
                               isGiven(arguments, 1) ? arguments[1] : Value::ofLong(size)};
    for (size_t i = 2; i < arguments.size(); ++i) like.push_back(arguments[i]);
    return arrayFrom(like);
}

// Rows of anything that has rows, matrices included.
Value rowsAt(const Value& x, const Vector& positions) {
    if (!x.isMatrix()) return takeRows(x, positions);
    const Value index[2] = {Value::of(positions.slice(0, positions.size())), omitted()};
    return indexRead(x, index);
}

// take(X, counts): repeats each element by its count.
Value takeEach(const Value& x, const Vector& counts) {
    const int64_t size = x.isMatrix() ? x.matrix().rows : x.size();
    if (counts.size() != size) {
        throw UserError(1, fmt::format("n must be a number, or one for each of the {} elements of X.", size));
    }
    std::vector<int32_t> positions;
    for (int64_t i = 0; i < size; ++i) {
        const int64_t count = counts.isNullAt(i) ? 0 : counts.asLong(i);
        if (count > kMaxElements) throw UserError(1, "n is too large. RefId: S05011");
        positions.insert(positions.end(), static_cast<size_t>(std::max<int64_t>(count, 0)), static_cast<int32_t>(i));
    }
    return rowsAt(x, *Vector::of(Type::Int, positions));
}

// take(X, n): repeats the elements of X cyclically; a negative n takes from the end.
Value takeKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    if (arguments[1].isTypedVector()) return takeEach(x, *vectorArgument(arguments, 1, "n"));
    int64_t n = integerArgument(arguments, 1, "n");
    if (std::abs(n) > kMaxElements) throw UserError(1, "n is too large. RefId: S05011");
    if (x.isScalar()) {
        if (x.isVoid()) throw UserError(0, "Not allowed to create void vector. RefId: S05005");
        if (storageOf(x.type()) == Storage::Boxed)
            return Value::of(makeRef<Tuple>(std::vector<Value>(static_cast<size_t>(std::abs(n)), x)));
        return Value::of(Vector::filled(x.type(), std::abs(n), x));
    }
    int64_t size = x.isMatrix() ? x.matrix().rows : x.size();
    if (size == 0) return n == 0 ? x : throw UserError(0, "X has no elements to take.");
    int64_t count = std::abs(n);
    // Whole copies of a vector go block by block.
    if (x.isTypedVector()) {
        const Vector& v = x.vector();
        Ref<Vector> out = Vector::make(v.type(), 0, count);
        out->setScale(v.scale());
        int64_t start = n >= 0 ? 0 : ((size - count % size) % size);
        while (out->size() < count) {
            int64_t run = std::min(size - start, count - out->size());
            out->append(v, start, run);
            start = 0;
        }
        return Value::of(out);
    }
    Ref<Vector> positions = Vector::make(Type::Int, count);
    int64_t start = n >= 0 ? 0 : (size - count % size) % size;
    for (int64_t i = 0; i < count; ++i) positions->mutableData<int32_t>()[i] = static_cast<int32_t>((start + i) % size);
    return rowsAt(x, *positions);
}

Value sizeKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    return Value::ofInt(static_cast<int32_t>(x.isPair() ? 2 : x.size()));
}
Value rowsKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    return Value::ofInt(static_cast<int32_t>(x.isMatrix() ? x.matrix().rows : x.size()));
}
int64_t columnsOf(const Value& x) {
    if (x.isMatrix()) return x.matrix().columns;
    return x.isTable() ? x.table().columnCount() : 1;
}
Value colsKernel(Context&, Arguments arguments) {
    return Value::ofInt(static_cast<int32_t>(columnsOf(arguments[0])));
}
Value shapeKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    int64_t rows = x.isMatrix() ? x.matrix().rows : x.size();
    return pairOf(Value::ofInt(static_cast<int32_t>(rows)), Value::ofInt(static_cast<int32_t>(columnsOf(x))));
}

std::mt19937_64& generator() {
    return randomGenerator();
}
Value seedKernel(Context&, Arguments arguments) {
    generator().seed(static_cast<uint64_t>(integerArgument(arguments, 0, "seed")));
    return Value();
}

int64_t randomBelow(int64_t bound) {
    // The high half of a 128-bit product: no modulo, and a bias below 2^-32 for any vector's size.
    return static_cast<int64_t>(static_cast<unsigned __int128>(generator()()) * static_cast<uint64_t>(bound) >> 64);
}

// rand(X, n): below X for a number, an element of X for a vector.
Value randKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    bool one = !isGiven(arguments, 1);
    const RandomCount count = one ? RandomCount() : randomCount(arguments, 1);
    const int64_t n = count.elements;
    Ref<Vector> out;
    if (x.isScalar() && (x.type() == Type::Uuid || x.type() == Type::IpAddr || x.type() == Type::Int128)) {
        out = Vector::make(x.type(), n);
        auto* words = reinterpret_cast<uint64_t*>(out->mutableRaw());
        inPieces(2 * n, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) words[i] = generator()();
        });
    } else if (x.isScalar()) {
        if (!x.isNumber() || x.isNull() || x.asDouble() <= 0) refuseArgument(0, "X", "a number above 0", x);
        out = Vector::make(x.type(), n);
        inPieces(n, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                if (isFloating(x.type())) {
                    out->set(i, cast(Value::ofDouble(unitRandom() * x.real()), x.type()));
                } else {
                    out->set(i, Value::scalar(x.type(), randomBelow(x.integer())));
                }
            }
        });
    } else {
        Ref<Vector> source = vectorArgument(arguments, 0, "X");
        if (source->size() == 0) refuseArgument(0, "X", "a vector with elements", x);
        const auto positions = std::make_unique_for_overwrite<int32_t[]>(static_cast<size_t>(n));
        inPieces(n, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
                positions[static_cast<size_t>(i)] = static_cast<int32_t>(randomBelow(source->size()));
        });
        out = source->gather(positions.get(), n);
        if (out->type() == Type::String) out = cast(*out, Type::Symbol);
    }
    return one ? out->at(0) : count.shaped(out);
}

template <class Distribution>
Value distributionKernel(Arguments arguments, Distribution distribution) {
    const RandomCount count = randomCount(arguments, arguments.size() - 1);
    Ref<Vector> out = Vector::make(Type::Double, count.elements);
    double* y = out->mutableData<double>();
    inPieces(count.elements, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) y[i] = distribution(generator());
    });
    out->setMayHaveNull(false);
    return count.shaped(out);
}
Value normalKernel(Context&, Arguments arguments) {
    double deviation = realArgument(arguments, 1, "std");
    if (deviation < 0) refuseArgument(1, "std", "at least 0", arguments[1]);
    return distributionKernel(arguments,
                              std::normal_distribution<double>(realArgument(arguments, 0, "mean"), deviation));
}
Value uniformKernel(Context&, Arguments arguments) {
    double low = realArgument(arguments, 0, "lower"), high = realArgument(arguments, 1, "upper");
    if (!(low <= high)) refuseArgument(1, "upper", "not below lower", arguments[1]);
    return distributionKernel(arguments, std::uniform_real_distribution<double>(low, high));
}

Value shuffleKernel(Context&, Arguments arguments) {
    Ref<Vector> positions = Vector::make(Type::Int, arguments[0].size());
    int32_t* p = positions->mutableData<int32_t>();
    for (int64_t i = 0; i < positions->size(); ++i) p[i] = static_cast<int32_t>(i);
    inPieces(positions->size() - 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = positions->size() - 1 - begin; i > positions->size() - 1 - end; --i)
            std::swap(p[i], p[randomBelow(i + 1)]);
    });
    return takeRows(arguments[0], *positions);
}

Value shuffleInPlace(Context& context, Arguments arguments) {
    arguments[0] = shuffleKernel(context, arguments);
    return arguments[0];
}

// Memory is one block in either case.
Value bigArrayKernel(Context& context, Arguments arguments) {
    Value result;
    if (arguments[0].isTypedVector() && isGiven(arguments, 1)) {
        std::vector<Value> like(arguments.begin(), arguments.end());
        like[0] = Value::ofInt(isDecimal(arguments[0].type()) ? typeConstant(arguments[0].type(), arguments[0].extra())
                                                              : static_cast<int32_t>(arguments[0].type()));
        result = arrayFrom(like);
    } else {
        result = arrayKernel(context, arguments);
    }
    if (result.isTypedVector()) result.vector().setBig();
    return result;
}

Value tilKernel(Context&, Arguments arguments) {
    int64_t n = sizeArgument(arguments, 0, "n", 0);
    Ref<Vector> out = Vector::make(Type::Int, n);
    for (int64_t i = 0; i < n; ++i) out->mutableData<int32_t>()[i] = static_cast<int32_t>(i);
    return Value::of(out);
}

Value enlistKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    if (!x.isDictionary() || !isLiteral(x.dictionary().keyType())) return listOf({x});
    // A dictionary of names is a row.
    auto row = makeRef<MemoryTable>();
    for (int64_t i = 0; i < x.dictionary().size(); ++i) {
        const Value value = x.dictionary().valueAt(i);
        row->setColumn(x.dictionary().keyAt(i).string(),
                       value.isScalar() ? listOf({value})
                                        : Value::of(makeRef<Tuple>(std::vector<Value>{value}, TupleKind::Columnar)));
    }
    return Value::of(Ref<Table>(row));
}

}  // namespace

Value RandomCount::shaped(Ref<Vector> drawn) const {
    return columns > 0 ? Value::of(makeRef<Matrix>(std::move(drawn), rows, columns)) : Value::of(std::move(drawn));
}

RandomCount randomCount(Arguments arguments, size_t i) {
    const Value& given = arguments[i];
    if (!given.isPair()) return {sizeArgument(arguments, i, "count", 1), 0, 0};
    Value sides[2] = {given.at(0), given.at(1)};
    const int64_t rows = sizeArgument(sides, 0, "rows", 1), columns = sizeArgument(sides, 1, "columns", 1);
    if (rows < 1 || columns < 1 || rows > kMaxElements / columns) {
        refuseArgument(i, "count", "rows:columns of a matrix", given);
    }
    return {rows * columns, rows, columns};
}

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "dataType: a type as INT or DOUBLE[], or a vector whose type is taken, and its length where nothing else is given\n"
    "dataType|template: a type as INT or DOUBLE[], or a vector whose type is taken, and its length where nothing "
    "else is given\n"
    "initialSize: how many elements, 0 or more\n"
    "capacity: for how many elements memory is reserved\n"
    "defaultValue: a scalar that all elements get; zero or the empty string when omitted\n"
    "mean: the mean, a number\n"
    "stdev: the standard deviation, 0 or more\n"
    "lower: the smallest number\n"
    "upper: what no number is above\n"
    "randNormal.count: how many numbers, or rows:columns of a matrix\n"
    "randUniform.count: how many numbers, or rows:columns of a matrix";

void registerVectorMaking(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view errors,
                   std::string_view example, const Declaration& declaration = {}) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .errors = errors,
                      .example = example},
                     declaration);
    };
    add("array(dataType|template, [initialSize=0], [capacity], [defaultValue])", arrayKernel,
        "A vector of the type: zeros, empty strings or the default value.", "The type can't be held by vectors.",
        "array(INT, 3) -> [0,0,0]");
    add("bigarray(dataType, [initialSize=0], [capacity], [defaultValue])", bigArrayKernel,
        "A vector of the type, or of a vector's type and length, as array makes it; typestr calls it HUGE.",
        "The type can't be held by vectors.", "sum(bigarray(INT, 3, 10, 2)) -> 6");
    add("take(X, n)", takeKernel, "n elements of X, over and over when X has fewer; the last ones when n is negative.",
        "X is empty.", "take(1 2 3, 5) -> [1,2,3,1,2]\ntake(1 2 3, -2) -> [2,3]", {.takes = {kAnything, kNumber}});
    add("size(X)", sizeKernel, "How many elements X has: of a matrix all cells, of a table its rows.", "",
        "size(1 2 NULL) -> 3", {.gives = is(Type::Int), .role = Role::Size});
    add("rows(X)", rowsKernel, "How many rows X has.", "", "rows(1 2 3) -> 3");
    add("cols(X)", colsKernel, "How many columns X has.", "", "cols(1 2 3) -> 1");
    registry.alias("columns", "cols");
    add("shape(X)", shapeKernel, "Rows and columns of X as a pair.", "", "shape(1 2 3) -> 3 : 1");
    add("rand(X, [count])", randKernel,
        "Random numbers from 0 up to X, or random elements of the vector X; strings come as SYMBOL.",
        "X is not above 0, or empty.", "rand(1, 3) -> [0,0,0]", {.effect = Effect::Volatile});
    add("randNormal(mean, stdev, count)", normalKernel, "Normally distributed random numbers.", "stdev is negative.",
        "size(randNormal(0, 1, 5)) -> 5", {.effect = Effect::Volatile});
    registry.alias("norm", "randNormal");
    registry.alias("normal", "randNormal");
    add("randUniform(lower, upper, count)", uniformKernel, "Random numbers between lower and upper.",
        "lower is above upper.", "size(randUniform(0, 1, 5)) -> 5", {.effect = Effect::Volatile});
    add("setRandomSeed(seed)", seedKernel, "Makes the random numbers that follow repeatable.", "",
        "setRandomSeed(5); a = rand(10, 3); setRandomSeed(5); all(a == rand(10, 3)) -> true",
        {.effect = Effect::Writes});
    add("shuffle(X)", shuffleKernel, "X in random order.", "", "sort(shuffle(1 2 3)) -> [1,2,3]",
        {.effect = Effect::Volatile});
    add("shuffle!(X)", shuffleInPlace, "As shuffle, changing X.", "", "x = 1 2; shuffle!(x); sum(x) -> 3");
    add("til(n)", tilKernel, "0 to n - 1, as INT.", "n is negative.", "til(3) -> [0,1,2]");
    add("enlist(X)", enlistKernel,
        "A vector or tuple with X as its only element; of a dictionary whose keys are strings, a table of one row.", "",
        "enlist(5) -> [5]", {.takesSharedTables = true});
}

}  // namespace pelorus
