// Frames of RFC 6455: what a client may send, however it is cut, and what ends the connection.
#include "net/web_socket_frames.h"

#include <catch2/catch.hpp>
#include <random>

using namespace pelorus::web_socket;

namespace {

std::string frame(uint8_t first, const std::string& payload, bool masked = true, int lengthBytes = 0) {
    std::string bytes(1, static_cast<char>(first));
    const auto mask = masked ? 0x80 : 0;
    if (lengthBytes == 0 ? payload.size() < 126 : lengthBytes == 1) {
        bytes += static_cast<char>(mask | static_cast<int>(payload.size()));
    } else if (lengthBytes == 0 ? payload.size() <= 0xffff : lengthBytes == 2) {
        bytes += static_cast<char>(mask | 126);
        bytes += static_cast<char>(payload.size() >> 8);
        bytes += static_cast<char>(payload.size());
    } else {
        bytes += static_cast<char>(mask | 127);
        for (int i = 7; i >= 0; --i) bytes += static_cast<char>(static_cast<uint64_t>(payload.size()) >> (8 * i));
    }
    const std::string key = "\x12\x34\x56\x78";
    if (masked) bytes += key;
    for (size_t i = 0; i < payload.size(); ++i)
        bytes += masked ? static_cast<char>(payload[i] ^ key[i % 4]) : payload[i];
    return bytes;
}

struct Taken {
    std::string payload;
    std::vector<std::pair<Opcode, std::string>> controls;
};

Taken take(FrameReader& reader, std::string_view bytes, size_t pieceBytes) {
    Taken taken;
    for (size_t at = 0; at < bytes.size(); at += pieceBytes)
        reader.take(bytes.substr(at, pieceBytes), taken.payload,
                    [&](Opcode opcode, std::string_view payload) { taken.controls.emplace_back(opcode, payload); });
    return taken;
}

int codeOf(const std::string& bytes, int64_t limit = 1 << 20) {
    FrameReader reader;
    reader.setLimit(limit);
    try {
        take(reader, bytes, bytes.size());
    } catch (const FrameError& error) {
        return static_cast<int>(error.code());
    }
    return 0;
}

}  // namespace

TEST_CASE("the handshake's answer is that of RFC 6455") {
    CHECK(acceptKey("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST_CASE("messages arrive whole however their frames are cut and joined") {
    const std::string large(70000, 'x');
    const std::string bytes = frame(0x82, "one") + frame(0x02, "tw") + frame(0x89, "ping") + frame(0x00, "") +
                              frame(0x80, "o") + frame(0x82, large) + frame(0x82, std::string(300, 'y')) +
                              frame(0x88, std::string("\x03\xe8", 2) + "bye");
    for (const size_t piece : {size_t{1}, size_t{2}, size_t{7}, size_t{65536}, bytes.size()}) {
        FrameReader reader;
        reader.setLimit(1 << 20);
        const Taken taken = take(reader, bytes, piece);
        CHECK(taken.payload == "onetwo" + large + std::string(300, 'y'));
        REQUIRE(taken.controls.size() == 2);
        CHECK(taken.controls[0] == std::pair(Opcode::Ping, std::string("ping")));
        CHECK(taken.controls[1].second == std::string("\x03\xe8", 2) + "bye");
        CHECK(!reader.isWithinMessage());
    }
}

TEST_CASE("what a client must not send is refused with its code") {
    CHECK(codeOf(frame(0x82, "x", false)) == 1002);  // not masked
    CHECK(codeOf(frame(0xc2, "x")) == 1002);         // reserved bit
    CHECK(codeOf(frame(0x83, "x")) == 1002);         // unknown opcodes
    CHECK(codeOf(frame(0x8b, "x")) == 1002);
    CHECK(codeOf(frame(0x09, "x")) == 1002);                     // control in pieces
    CHECK(codeOf(frame(0x89, std::string(126, 'x'))) == 1002);   // control too long
    CHECK(codeOf(frame(0x80, "x")) == 1002);                     // goes on with nothing
    CHECK(codeOf(frame(0x02, "x") + frame(0x82, "y")) == 1002);  // a message within another one
    CHECK(codeOf(frame(0x82, "x", true, 2)) == 1002);            // lengths that are longer than needed
    CHECK(codeOf(frame(0x82, std::string(200, 'x'), true, 8)) == 1002);
    CHECK(codeOf(frame(0x88, "x")) == 1002);                             // half a code
    CHECK(codeOf(frame(0x88, std::string("\x03\xed", 2))) == 1002);      // 1005 is never sent
    CHECK(codeOf(frame(0x88, std::string("\x03\xe8\xff", 3))) == 1007);  // a reason that is no UTF-8
    CHECK(codeOf(frame(0x81, "text")) == 1003);
    CHECK(codeOf(frame(0x82, std::string(101, 'x')), 100) == 1009);
    CHECK(codeOf(frame(0x02, std::string(60, 'x')) + frame(0x80, std::string(60, 'x')), 100) == 1009);
    CHECK(codeOf(std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10) + "abcd") == 1009);
    CHECK(codeOf(std::string("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10) + "abcd") == 1002);
    CHECK(codeOf(frame(0x82, std::string(100, 'x')), 100) == 0);
}

TEST_CASE("random bytes end in an error or stay within the limit") {
    std::mt19937 random(7);
    for (int round = 0; round < 20000; ++round) {
        std::string bytes(random() % 40, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        if (!bytes.empty() && random() % 2) bytes[0] = static_cast<char>(0x82);
        FrameReader reader;
        reader.setLimit(1000);
        std::string payload;
        try {
            reader.take(bytes, payload, [](Opcode, std::string_view body) { REQUIRE(body.size() <= 125); });
        } catch (const FrameError&) {
        }
        REQUIRE(payload.size() <= bytes.size());
    }
}
