// Decompositions and solutions of linear systems, by LAPACK.
#include <fmt/format.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/abandonable_call.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/matrix/singular_values.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// Cells of DOUBLE, column by column.
struct Cells {
    lapack_int rows = 0, columns = 0;
    std::vector<double> elements;

    Cells(lapack_int rows, lapack_int columns)
        : rows(rows), columns(columns), elements(static_cast<size_t>(rows) * static_cast<size_t>(columns)) {}
    double& at(lapack_int r, lapack_int c) {
        return elements[static_cast<size_t>(c) * static_cast<size_t>(rows) + static_cast<size_t>(r)];
    }
    double at(lapack_int r, lapack_int c) const {
        return elements[static_cast<size_t>(c) * static_cast<size_t>(rows) + static_cast<size_t>(r)];
    }
    Value value() const { return Value::of(makeRef<Matrix>(Vector::of(Type::Double, elements), rows, columns)); }
};

// A matrix, or a vector as one column. NULL counts as 0.
Cells cellsArgument(Arguments a, size_t i, const char* name, bool refuseNull = false) {
    const Value& v = a[i];
    bool fits = (v.isMatrix() || (v.isTypedVector())) && isNumeric(v.type());
    if (!fits) refuseArgument(i, name, "a numeric matrix", v);
    const Vector& source = v.isMatrix() ? *v.matrix().cells : v.vector();
    int64_t rows = v.isMatrix() ? v.matrix().rows : v.size(), columns = v.isMatrix() ? v.matrix().columns : 1;
    if (rows < 1 || columns < 1) throw UserError(static_cast<int>(i), fmt::format("{} is empty.", name));
    if (refuseNull && source.hasNull())
        throw UserError(static_cast<int>(i), fmt::format("{} must not have NULL.", name));
    Ref<Vector> reals = cast(source, Type::Double);
    Cells cells(static_cast<lapack_int>(rows), static_cast<lapack_int>(columns));
    for (size_t k = 0; k < cells.elements.size(); ++k) {
        double x = reals->data<double>()[k];
        cells.elements[k] = isNull(x) ? 0 : x;
    }
    return cells;
}

Cells squareArgument(Arguments a, size_t i, const char* name) {
    Cells cells = cellsArgument(a, i, name);
    if (cells.rows != cells.columns) {
        throw UserError(static_cast<int>(i),
                        fmt::format("{} must be a square matrix, but it has {} rows and {} columns.", name, cells.rows,
                                    cells.columns));
    }
    return cells;
}

// The number of multiplications, some milliseconds, from which on a decomposition runs where a cancelled request can
// leave it.
constexpr double kLongWork = 1e7;

// Calls `f` with the matrix, and with it as the library left it returns what `f` returns: the library's number, 0 for
// success. `f` takes the matrix and `more`, its further results, by reference, and uses nothing else that the caller
// has.
template <class F, class... More>
lapack_int decompose(Cells& m, F f, More&... more) {
    const double n = std::min(m.rows, m.columns);
    if (n * m.rows * m.columns < kLongWork) return f(m, more...);
    struct Work {
        Cells cells;
        std::tuple<More...> results;
        lapack_int failed;
    };
    const auto work = std::make_shared<Work>(Work{std::move(m), std::tuple<More...>(std::move(more)...), 0});
    callAbandonable(
        [work, f] { work->failed = std::apply([&](More&... own) { return f(work->cells, own...); }, work->results); });
    m = std::move(work->cells);
    std::tie(more...) = std::move(work->results);
    return work->failed;
}

Value tupleOf(std::vector<Value> elements) {
    return Value::of(makeRef<Tuple>(std::move(elements)));
}

using Pivots = std::vector<lapack_int>;

lapack_int factorize(Cells& m, Pivots& pivots) {
    const auto lower = [](Cells& x, Pivots& p) {
        return LAPACKE_dgetrf(LAPACK_COL_MAJOR, x.rows, x.columns, x.elements.data(), x.rows, p.data());
    };
    return decompose(m, lower, pivots);
}

[[noreturn]] void refuseSingular() {
    throw UserError(0, "The matrix is singular.", "pinverse gives a pseudo-inverse.");
}

// cholesky(obj, [lower=true])
Value choleskyKernel(Context&, Arguments a) {
    Cells m = squareArgument(a, 0, "obj");
    bool lower = flagArgument(a, 1, "lower", true);
    const lapack_int failed = decompose(m, [lower](Cells& x) {
        return LAPACKE_dpotrf(LAPACK_COL_MAJOR, lower ? 'L' : 'U', x.rows, x.elements.data(), x.rows);
    });
    if (failed != 0) throw UserError(0, "obj must be symmetric and positive definite.");
    for (lapack_int c = 0; c < m.columns; ++c) {
        for (lapack_int r = 0; r < m.rows; ++r) {
            if (lower ? r < c : r > c) m.at(r, c) = 0;
        }
    }
    return m.value();
}

Value detKernel(Context&, Arguments a) {
    Cells m = squareArgument(a, 0, "X");
    Pivots pivots(static_cast<size_t>(m.rows));
    factorize(m, pivots);
    double product = 1;
    for (lapack_int i = 0; i < m.rows; ++i) {
        product *= m.at(i, i);
        if (pivots[static_cast<size_t>(i)] != i + 1) product = -product;
    }
    return Value::ofDouble(product);
}

Value inverseKernel(Context&, Arguments a) {
    Cells m = squareArgument(a, 0, "X");
    Pivots pivots(static_cast<size_t>(m.rows));
    if (factorize(m, pivots) != 0) refuseSingular();
    const auto invert = [](Cells& x, Pivots& p) {
        return LAPACKE_dgetri(LAPACK_COL_MAJOR, x.rows, x.elements.data(), x.rows, p.data());
    };
    if (decompose(m, invert, pivots) != 0) refuseSingular();
    return m.value();
}

// solve(X, Y): b with X ** b = Y; the least-squares solution when X has more rows than columns.
Value solveKernel(Context&, Arguments a) {
    Cells x = cellsArgument(a, 0, "X"), y = cellsArgument(a, 1, "Y");
    if (x.rows != y.rows) {
        throw UserError(1, fmt::format("X has {} rows, but Y has {}.", x.rows, y.rows));
    }
    if (x.rows < x.columns) throw UserError(0, "X must not have more columns than rows.");
    if (x.rows == x.columns) {
        Pivots pivots(static_cast<size_t>(x.rows));
        const auto solve = [](Cells& m, Cells& right, Pivots& p) {
            return LAPACKE_dgesv(LAPACK_COL_MAJOR, m.rows, right.columns, m.elements.data(), m.rows, p.data(),
                                 right.elements.data(), right.rows);
        };
        if (decompose(x, solve, y, pivots) != 0) refuseSingular();
    } else {
        const auto solve = [](Cells& m, Cells& right) {
            return LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', m.rows, m.columns, right.columns, m.elements.data(), m.rows,
                                 right.elements.data(), right.rows);
        };
        if (decompose(x, solve, y) != 0) refuseSingular();
    }
    Cells b(x.columns, y.columns);
    for (lapack_int c = 0; c < y.columns; ++c) {
        for (lapack_int r = 0; r < x.columns; ++r) b.at(r, c) = y.at(r, c);
    }
    return a[1].isMatrix() ? b.value() : Value::of(Vector::of(Type::Double, b.elements));
}

// eig(A): of a symmetric matrix, whose lower triangle is read; values ascending.
Value eigKernel(Context&, Arguments a) {
    Cells m = squareArgument(a, 0, "A");
    std::vector<double> values(static_cast<size_t>(m.rows));
    const auto eigen = [](Cells& x, std::vector<double>& found) {
        return LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', x.rows, x.elements.data(), x.rows, found.data());
    };
    if (decompose(m, eigen, values) != 0) throw UserError(0, "The eigenvalues did not converge.");
    auto result = makeRef<Dictionary>(Type::String, Type::Any, true);
    result->set(Value::ofString("values"), Value::of(Vector::of(Type::Double, values)));
    result->set(Value::ofString("vectors"), m.value());
    return Value::of(result);
}

// lu(obj, [permute=false]): P, L, U with obj = P ** L ** U; with permute P ** L and U.
Value luKernel(Context&, Arguments a) {
    Cells m = cellsArgument(a, 0, "obj", true);
    bool permute = flagArgument(a, 1, "permute", false);
    lapack_int k = std::min(m.rows, m.columns);
    Pivots pivots(static_cast<size_t>(k));
    factorize(m, pivots);
    // The row permutation: source[i] is the row of obj that is row i of L ** U.
    std::vector<lapack_int> source(static_cast<size_t>(m.rows));
    for (lapack_int i = 0; i < m.rows; ++i) source[static_cast<size_t>(i)] = i;
    for (lapack_int i = 0; i < k; ++i)
        std::swap(source[static_cast<size_t>(i)], source[static_cast<size_t>(pivots[static_cast<size_t>(i)] - 1)]);
    Cells p(m.rows, m.rows), l(m.rows, k), u(k, m.columns), pl(m.rows, k);
    for (lapack_int i = 0; i < m.rows; ++i) p.at(source[static_cast<size_t>(i)], i) = 1;
    for (lapack_int c = 0; c < k; ++c) {
        l.at(c, c) = 1;
        for (lapack_int r = c + 1; r < m.rows; ++r) l.at(r, c) = m.at(r, c);
        for (lapack_int r = 0; r < m.rows; ++r) pl.at(source[static_cast<size_t>(r)], c) = l.at(r, c);
    }
    for (lapack_int c = 0; c < m.columns; ++c) {
        for (lapack_int r = 0; r <= std::min(c, k - 1); ++r) u.at(r, c) = m.at(r, c);
    }
    if (permute) return tupleOf({pl.value(), u.value()});
    return tupleOf({p.value(), l.value(), u.value()});
}

Cells upperOf(const Cells& m, lapack_int rows) {
    Cells r(rows, m.columns);
    for (lapack_int c = 0; c < m.columns; ++c) {
        for (lapack_int i = 0; i <= std::min(c, rows - 1); ++i) r.at(i, c) = m.at(i, c);
    }
    return r;
}

// qr(obj, [mode='full'], [pivoting=false])
Value qrKernel(Context&, Arguments a) {
    Cells m = cellsArgument(a, 0, "obj");
    std::string mode = stringArgument(a, 1, "mode", "full");
    if (mode != "full" && mode != "economic" && mode != "raw" && mode != "r")
        refuseArgument(1, "mode", "full, economic, raw or r", a[1]);
    bool pivoting = flagArgument(a, 2, "pivoting", false);
    lapack_int k = std::min(m.rows, m.columns);
    std::vector<double> tau(static_cast<size_t>(k));
    Pivots pivots(static_cast<size_t>(m.columns), 0);
    decompose(
        m,
        [pivoting](Cells& x, std::vector<double>& factors, Pivots& order) {
            return pivoting
                       ? LAPACKE_dgeqp3(LAPACK_COL_MAJOR, x.rows, x.columns, x.elements.data(), x.rows, order.data(),
                                        factors.data())
                       : LAPACKE_dgeqrf(LAPACK_COL_MAJOR, x.rows, x.columns, x.elements.data(), x.rows, factors.data());
        },
        tau, pivots);
    std::vector<Value> parts;
    bool small = mode == "economic" || mode == "raw";
    Value r = upperOf(m, small ? k : m.rows).value();
    if (mode == "raw") {
        parts = {m.value(), Value::of(Vector::of(Type::Double, tau)), r};
    } else if (mode == "r") {
        parts = {r};
    } else {
        lapack_int width = mode == "full" ? m.rows : k;
        Cells q(m.rows, width);
        std::copy_n(m.elements.begin(), static_cast<ptrdiff_t>(m.rows) * k, q.elements.begin());
        decompose(
            q,
            [width, k](Cells& x, std::vector<double>& factors) {
                return LAPACKE_dorgqr(LAPACK_COL_MAJOR, x.rows, width, k, x.elements.data(), x.rows, factors.data());
            },
            tau);
        parts = {q.value(), r};
    }
    if (pivoting) {
        for (lapack_int& p : pivots) --p;
        parts.push_back(Value::of(Vector::of(Type::Int, std::vector<int32_t>(pivots.begin(), pivots.end()))));
    }
    return parts.size() == 1 ? parts[0] : tupleOf(std::move(parts));
}

struct SingularValues {
    Cells u, v;  // v holds the right vectors as rows
    std::vector<double> values;
};

SingularValues singularValues(Cells m, char job) {
    lapack_int k = std::min(m.rows, m.columns);
    lapack_int widthU = job == 'A' ? m.rows : k, heightV = job == 'A' ? m.columns : k;
    SingularValues s{Cells(m.rows, widthU), Cells(heightV, m.columns), std::vector<double>(static_cast<size_t>(k))};
    const auto singular = [job, heightV](Cells& x, Cells& u, Cells& v, std::vector<double>& values) {
        return LAPACKE_dgesdd(LAPACK_COL_MAJOR, job, x.rows, x.columns, x.elements.data(), x.rows, values.data(),
                              u.elements.data(), x.rows, v.elements.data(), heightV);
    };
    const lapack_int failed = decompose(m, singular, s.u, s.v, s.values);
    if (failed != 0) throw UserError(0, "The singular values did not converge.");
    return s;
}

// svd(obj, [fullMatrices=true], [computeUV=true])
Value svdKernel(Context&, Arguments a) {
    Cells m = cellsArgument(a, 0, "obj");
    bool full = flagArgument(a, 1, "fullMatrices", true), vectors = flagArgument(a, 2, "computeUV", true);
    SingularValues s = singularValues(std::move(m), full ? 'A' : 'S');
    Value values = Value::of(Vector::of(Type::Double, s.values));
    return vectors ? tupleOf({s.u.value(), values, s.v.value()}) : values;
}

Value pinverseKernel(Context&, Arguments a) {
    Cells m = cellsArgument(a, 0, "X");
    lapack_int rows = m.rows, columns = m.columns;
    SingularValues s = singularValues(std::move(m), 'S');
    double limit = std::numeric_limits<double>::epsilon() * static_cast<double>(std::max(rows, columns)) * s.values[0];
    Cells inverse(columns, rows);
    for (size_t k = 0; k < s.values.size(); ++k) {
        if (s.values[k] <= limit) continue;
        auto i = static_cast<lapack_int>(k);
        for (lapack_int c = 0; c < rows; ++c) {
            double factor = s.u.at(c, i) / s.values[k];
            for (lapack_int r = 0; r < columns; ++r) inverse.at(r, c) += s.v.at(i, r) * factor;
        }
    }
    return inverse.value();
}

// matrixRank(A, [tol]): the default tolerance grows with the size of the matrix and its largest singular value.
Value matrixRankKernel(Context&, Arguments a) {
    Cells m = cellsArgument(a, 0, "A");
    lapack_int longest = std::max(m.rows, m.columns);
    SingularValues s = singularValues(std::move(m), 'S');
    double limit =
        realArgument(a, 1, "tol", std::numeric_limits<double>::epsilon() * static_cast<double>(longest) * s.values[0]);
    auto rank = std::count_if(s.values.begin(), s.values.end(), [&](double x) { return x > limit; });
    return Value::ofInt(static_cast<int32_t>(rank));
}

lapack_logical inLeftHalf(const double* re, const double*) {
    return *re < 0;
}
lapack_logical inRightHalf(const double* re, const double*) {
    return *re > 0;
}
lapack_logical insideCircle(const double* re, const double* im) {
    return std::hypot(*re, *im) <= 1;
}
lapack_logical outsideCircle(const double* re, const double* im) {
    return std::hypot(*re, *im) > 1;
}

// schur(obj, [sort]): T and Z with obj = Z ** T ** transpose(Z), and with sort the number of eigenvalues sorted to the
// front.
Value schurKernel(Context&, Arguments a) {
    Cells m = squareArgument(a, 0, "obj");
    std::string sort = stringArgument(a, 1, "sort", "");
    LAPACK_D_SELECT2 chosen = nullptr;
    if (sort == "lhp") chosen = inLeftHalf;
    if (sort == "rhp") chosen = inRightHalf;
    if (sort == "iuc") chosen = insideCircle;
    if (sort == "ouc") chosen = outsideCircle;
    if (!sort.empty() && !chosen) refuseArgument(1, "sort", "lhp, rhp, iuc or ouc", a[1]);
    Cells z(m.rows, m.rows);
    std::vector<double> re(static_cast<size_t>(m.rows)), im(static_cast<size_t>(m.rows));
    lapack_int count = 0;
    const auto triangle = [chosen](Cells& x, Cells& vectors, std::vector<double>& real, std::vector<double>& imaginary,
                                   lapack_int& sorted) {
        return LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', chosen ? 'S' : 'N', chosen, x.rows, x.elements.data(), x.rows,
                             &sorted, real.data(), imaginary.data(), vectors.elements.data(), x.rows);
    };
    const lapack_int failed = decompose(m, triangle, z, re, im, count);
    if (failed != 0) throw UserError(0, "The Schur form did not converge.");
    if (!chosen) return tupleOf({m.value(), z.value()});
    return tupleOf({m.value(), z.value(), Value::ofInt(count)});
}

// repmat(X, rowRep, colRep)
Value repmatKernel(Context&, Arguments a) {
    if (!a[0].isMatrix() && !(a[0].isTypedVector())) refuseArgument(0, "X", "a matrix", a[0]);
    Ref<Vector> cells = vectorArgument(a, 0, "X");
    int64_t rows = a[0].isMatrix() ? a[0].matrix().rows : cells->size();
    int64_t columns = a[0].isMatrix() ? a[0].matrix().columns : 1;
    int64_t down = integerArgument(a, 1, "rowRep"), across = integerArgument(a, 2, "colRep");
    if (down < 1) refuseArgument(1, "rowRep", "at least 1", a[1]);
    if (across < 1) refuseArgument(2, "colRep", "at least 1", a[2]);
    constexpr int64_t kMaxCells = INT32_MAX;
    if (down > kMaxCells / std::max<int64_t>(1, cells->size()) ||
        across > kMaxCells / std::max<int64_t>(1, cells->size() * down))
        throw UserError("The result would be too large.");
    Ref<Vector> result = Vector::make(cells->type(), 0, cells->size() * down * across);
    result->setScale(cells->scale());
    for (int64_t x = 0; x < across; ++x) {
        for (int64_t c = 0; c < columns; ++c) {
            for (int64_t y = 0; y < down; ++y) result->append(*cells, c * rows, rows);
        }
    }
    return Value::of(makeRef<Matrix>(result, rows * down, columns * across));
}

}  // namespace

std::vector<double> singularValuesOf(const std::vector<std::vector<double>>& columns) {
    CHECK(!columns.empty() && !columns[0].empty()) << "a matrix without cells has no singular values";
    Cells cells(static_cast<lapack_int>(columns[0].size()), static_cast<lapack_int>(columns.size()));
    for (size_t c = 0; c < columns.size(); ++c) {
        CHECK(columns[c].size() == columns[0].size()) << "the columns of a matrix have the same rows";
        std::copy(columns[c].begin(), columns[c].end(),
                  cells.elements.begin() + static_cast<ptrdiff_t>(c * columns[0].size()));
    }
    return singularValues(std::move(cells), 'S').values;
}

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "qr.obj: a numeric matrix\n"
    "mode: full gives Q square, economic cut to the smaller side; raw LAPACK's form; r R alone\n"
    "pivoting: true exchanges columns so that the diagonal of R falls, and adds their positions from 0 to the result\n"
    "svd.obj: a numeric matrix\n"
    "fullMatrices: true gives U and V square, false cut to the smaller side\n"
    "computeUV: false gives the singular values alone";

void registerLinearAlgebra(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view errors,
                   std::string_view example) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .nulls = "NULL counts as 0.",
                      .errors = errors,
                      .source = "LAPACK (Anderson et al. 1999)",
                      .example = example});
    };
    add("cholesky(obj, [lower=true])", choleskyKernel,
        "The triangle L with obj = L ** transpose(L), or the upper one with obj = transpose(U) ** U.",
        "obj is not symmetric and positive definite.", "flatten(cholesky(matrix(4.0 2, 2 5))) -> [2,1,0,2]");
    add("det(X)", detKernel, "The determinant of X.", "X is not square.", "det(matrix(1 2, 3 4)) -> -2");
    add("inverse(X)", inverseKernel, "The inverse of X.", "X is not square, or singular.",
        "flatten(inverse(matrix(2 0, 0 4))) -> [0.5,0,0,0.25]");
    add("pinverse(X)", pinverseKernel, "The Moore-Penrose inverse of X.", "X is not numeric.",
        "round(flatten(pinverse(matrix(3 4))), 6) -> [0.12,0.16]");
    registry.alias("pinv", "pinverse");
    registry.alias("inv", "inverse");
    add("solve(X, Y)", solveKernel, "b with X ** b = Y; the least squares when X has more rows than columns.",
        "X is singular, or X and Y differ in rows.", "solve(matrix(2 0, 0 4), 2 2) -> [1,0.5]");
    add("eig(A)", eigKernel,
        "The eigenvalues of a symmetric matrix, ascending, and its eigenvectors by column: a dictionary of values and "
        "vectors. The lower triangle is read.",
        "A is not square.", "eig(matrix(2 0, 0 1))[`values] -> [1,2]");
    add("lu(obj, [permute=false])", luKernel,
        "P, L and U with obj = P ** L ** U, L lower with ones on the diagonal and U upper; with permute P ** L and U.",
        "obj has NULL.", "flatten(lu(matrix(1 2, 3 4), true)[1]) -> [2,0,4,1]");
    add("qr(obj, [mode='full'], [pivoting=false])", qrKernel,
        "Q and R with obj = Q ** R, Q orthogonal and R upper; economic cuts them to the smaller side, raw gives "
        "LAPACK's "
        "reflectors, their factors and R; r only R. With pivoting also the positions of the columns.",
        "mode is none of full, economic, raw and r.", "shape(qr(matrix(1 2 3), `economic)[1]) -> 1 : 1");
    add("svd(obj, [fullMatrices=true], [computeUV=true])", svdKernel,
        "U, the singular values descending, and V with the right vectors as rows.", "obj is not numeric.",
        "svd(matrix(3 0, 0 4), computeUV=false) -> [4,3]");
    add("matrixRank(A, [tol])", matrixRankKernel, "How many singular values of A are above tol.", "A is not numeric.",
        "matrixRank(matrix(1 2, 2 4)) -> 1");
    add("schur(obj, [sort])", schurKernel,
        "T and Z with obj = Z ** T ** transpose(Z); with sort (lhp, rhp, iuc, ouc) also how many of the eigenvalues "
        "fulfil it and stand first.",
        "obj is not square.", "flatten(schur(matrix(2 0, 1 3))[0]) -> [2,0,1,3]");
    registry.add("repmat(X, rowRep, colRep)", repmatKernel,
                 {.summary = "X repeated downwards and to the right.",
                  .parameters = "X: a matrix\n"
                                "rowRep: how often downwards, an integer of at least 1\n"
                                "colRep: how often to the right, an integer of at least 1",
                  .errors = "A count is below 1.",
                  .example = "shape(repmat(matrix(1 2), 2, 3)) -> 4 : 3"});
}

}  // namespace pelorus
