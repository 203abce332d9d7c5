#include "server/access/scram_verifier.h"

#include <catch2/catch.hpp>

#include "common/io/base64.h"

using namespace pelorus;

namespace {

std::string decoded(std::string_view string) {
    std::string bytes;
    REQUIRE(fromBase64(string, bytes));
    return bytes;
}

// The exchange of RFC 7677, section 3.
const std::string kAuthMessage =
    "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i="
    "4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";

}  // namespace

TEST_CASE("a proof of the password is told from any other one") {
    const ScramVerifier verifier = ScramVerifier::of("pencil", decoded("W22ZaJ0SNY7soEsUEjb6gQ=="), 4096);
    std::string proof = decoded("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
    CHECK(verifier.isProof(proof, kAuthMessage));
    CHECK(toBase64(verifier.signature(kAuthMessage)) == "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    CHECK_FALSE(verifier.isProof(proof, kAuthMessage + "x"));
    proof[0] ^= 1;
    CHECK_FALSE(verifier.isProof(proof, kAuthMessage));
    CHECK_FALSE(verifier.isProof("", kAuthMessage));
}

TEST_CASE("a verifier comes back from its stored form, and damaged ones do not") {
    const ScramVerifier verifier = ScramVerifier::of("secret", "salt of sixteen b", 2);
    const std::string encoded = verifier.encode();
    CHECK(encoded.starts_with("SCRAM-SHA-256$2:"));
    const auto parsed = ScramVerifier::parse(encoded);
    REQUIRE(parsed);
    CHECK(parsed->encode() == encoded);
    CHECK_FALSE(ScramVerifier::parse(""));
    for (size_t cut = 0; cut < encoded.size(); ++cut) CHECK_FALSE(ScramVerifier::parse(encoded.substr(0, cut)));
}

TEST_CASE("nobody's verifier is the same each time, and another one for another name") {
    CHECK(ScramVerifier::ofNobody("ann", "key").encode() == ScramVerifier::ofNobody("ann", "key").encode());
    CHECK(ScramVerifier::ofNobody("ann", "key").salt != ScramVerifier::ofNobody("bob", "key").salt);
    CHECK(ScramVerifier::ofNobody("ann", "key").salt.size() == 16);
}
