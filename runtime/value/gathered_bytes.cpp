#include "runtime/value/gathered_bytes.h"

#include <iterator>
#include <utility>

namespace pelorus {

namespace {

// Copied bytes begin a new piece there: a string that doubles would be copied again and again.
constexpr size_t kPieceBytes = size_t{1} << 20;
// Fewer bytes are copied sooner than referred to.
constexpr size_t kLeastReferred = 512;

}  // namespace

void GatheredBytes::append(std::string_view bytes) {
    if (bytes.empty()) return;
    const bool fits = !pieces_.empty() && pieces_.back().referred.data() == nullptr &&
                      pieces_.back().own.size() + bytes.size() <= kPieceBytes;
    if (!fits) pieces_.emplace_back();
    pieces_.back().own += bytes;
    size_ += static_cast<int64_t>(bytes.size());
}

void GatheredBytes::take(std::string bytes) {
    if (bytes.size() < kLeastReferred) return append(bytes);
    size_ += static_cast<int64_t>(bytes.size());
    pieces_.push_back({std::move(bytes), {}});
}

void GatheredBytes::refer(std::string_view bytes, Value owner) {
    if (bytes.size() < kLeastReferred) return append(bytes);
    size_ += static_cast<int64_t>(bytes.size());
    pieces_.push_back({{}, bytes});
    owners_.push_back(std::move(owner));
}

void GatheredBytes::take(GatheredBytes&& other) {
    pieces_.insert(pieces_.end(), std::make_move_iterator(other.pieces_.begin()),
                   std::make_move_iterator(other.pieces_.end()));
    owners_.insert(owners_.end(), std::make_move_iterator(other.owners_.begin()),
                   std::make_move_iterator(other.owners_.end()));
    size_ += other.size_;
    other.clear();
}

std::vector<std::string_view> GatheredBytes::pieces() const {
    std::vector<std::string_view> views;
    for (const Piece& piece : pieces_) {
        if (!piece.view().empty()) views.push_back(piece.view());
    }
    return views;
}

std::string GatheredBytes::joined() const {
    std::string bytes;
    bytes.reserve(static_cast<size_t>(size_));
    for (const Piece& piece : pieces_) bytes += piece.view();
    return bytes;
}

void GatheredBytes::clear() {
    pieces_.clear();
    owners_.clear();
    size_ = 0;
}

}  // namespace pelorus
