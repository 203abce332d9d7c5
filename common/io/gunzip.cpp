#include "common/io/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "common/check.h"

namespace pelorus {
namespace {

constexpr int kGzipOnly = 15 + 16;
constexpr size_t kFirstBytes = 64 * 1024;
constexpr size_t kMaxInput = size_t{1} << 30;

struct EndInflate {
    void operator()(z_stream* stream) const {
        ::inflateEnd(stream);
        delete stream;
    }
};

}  // namespace

// Sets `made` to the number of bytes of `plain` that were inflated; the others are room.
static GunzipResult inflateMembers(std::string_view packed, size_t limit, std::string& plain, size_t& made) {
    std::unique_ptr<z_stream, EndInflate> stream(new z_stream{});
    if (::inflateInit2(stream.get(), kGzipOnly) != Z_OK) return GunzipResult::Damaged;
    size_t given = 0;
    for (;;) {
        if (stream->avail_in == 0 && given < packed.size()) {
            const size_t part = std::min(packed.size() - given, kMaxInput);
            stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + given));
            stream->avail_in = static_cast<uInt>(part);
            given += part;
        }
        // One byte beyond the limit shows that there is more.
        if (made == plain.size()) plain.resize(std::min(std::max(kFirstBytes, 2 * made), limit + 1));
        const size_t room = std::min(plain.size() - made, kMaxInput);
        stream->next_out = reinterpret_cast<Bytef*>(plain.data() + made);
        stream->avail_out = static_cast<uInt>(room);
        const int state = ::inflate(stream.get(), Z_NO_FLUSH);
        made += room - stream->avail_out;
        if (made > limit) return GunzipResult::TooLong;
        if (state == Z_STREAM_END) {
            if (stream->avail_in == 0 && given == packed.size()) return GunzipResult::Done;
            if (::inflateReset(stream.get()) != Z_OK) return GunzipResult::Damaged;
        } else if (state != Z_OK) {
            return GunzipResult::Damaged;
        }
    }
}

GunzipResult gunzip(std::string_view packed, int64_t limitBytes, std::string& plain) {
    plain.clear();
    const auto limit = static_cast<size_t>(limitBytes);
    size_t made = 0;
    const GunzipResult result = inflateMembers(packed, limit, plain, made);
    plain.resize(std::min(made, limit));
    return result;
}

std::string gzip(std::string_view plain) {
    z_stream stream{};
    constexpr int kMostMemory = 9;
    CHECK(::deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipOnly, kMostMemory, Z_DEFAULT_STRATEGY) == Z_OK)
        << "the settings of the compressor are valid";
    std::string packed(::deflateBound(&stream, static_cast<uLong>(plain.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    const int state = ::deflate(&stream, Z_FINISH);
    packed.resize(packed.size() - stream.avail_out);
    ::deflateEnd(&stream);
    CHECK(state == Z_STREAM_END) << "the target has the room that the compressor asked for";
    return packed;
}

}  // namespace pelorus
