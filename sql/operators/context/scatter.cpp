#include "sql/operators/context/scatter.h"

#include <algorithm>

#include "common/check.h"
#include "runtime/value/element_width.h"
#include "sql/keys/row_pieces.h"
#include "sql/operators/context/group_columns.h"

namespace pelorus {

namespace {

Ref<Vector> likeItems(const Vector& items, int64_t size) {
    CHECK(storageOf(items.type()) != Storage::String) << "elements that are moved by their bytes are no strings";
    Ref<Vector> result = Vector::make(items.type(), size);
    result->setScale(items.scale());
    result->setMayHaveNull(items.mayHaveNull());
    return result;
}

}  // namespace

Ref<Vector> scattered(const Vector& items, const int32_t* places) {
    Ref<Vector> result = likeItems(items, items.size());
    char* target = result->mutableRaw();
    withWidth(items.width(), [&](auto zero) {
        using T = decltype(zero);
        const T* from = items.data<T>();
        T* to = reinterpret_cast<T*>(target);
        forEachPiece(items.size(), [=](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) to[places[i]] = from[i];
        });
    });
    return result;
}

Ref<Vector> repeated(const Vector& items, const std::vector<int32_t>& begin) {
    CHECK(items.size() + 1 == std::ssize(begin)) << "there is an element for each group";
    Ref<Vector> result = likeItems(items, begin.back());
    char* target = result->mutableRaw();
    const std::vector<GroupPiece> pieces = groupPieces(begin);
    withWidth(items.width(), [&](auto zero) {
        using T = decltype(zero);
        const T* from = items.data<T>();
        T* to = reinterpret_cast<T*>(target);
        parallelFor(static_cast<int64_t>(pieces.size()), [&](int64_t number) {
            const GroupPiece& piece = pieces[static_cast<size_t>(number)];
            for (size_t g = piece.firstGroup; g < piece.endGroup; ++g)
                std::fill(to + begin[g], to + begin[g + 1], from[g]);
        });
    });
    return result;
}

}  // namespace pelorus
