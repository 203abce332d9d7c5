#include "server/postgres/scram_exchange.h"

#include <catch2/catch.hpp>

#include "common/io/base64.h"
#include "postgres/sql_error.h"

using namespace pelorus;
using namespace pelorus::postgres;

namespace {

ScramExchange exchange() {
    std::string salt;
    REQUIRE(fromBase64("W22ZaJ0SNY7soEsUEjb6gQ==", salt));
    return {ScramVerifier::of("pencil", salt, 4096), "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"};
}

const std::string kFirst = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
const std::string kFinal = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=";
const std::string kProof = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";

}  // namespace

TEST_CASE("the exchange of RFC 7677 ends well, and with another proof it does not") {
    ScramExchange right = exchange();
    CHECK(right.answer(kFirst) ==
          "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
    std::string last;
    CHECK(right.finish(kFinal + kProof, last));
    CHECK(last == "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    ScramExchange wrong = exchange();
    wrong.answer(kFirst);
    CHECK_FALSE(wrong.finish(kFinal + "AAAA", last));
}

TEST_CASE("messages that do not belong to the exchange are refused") {
    for (const std::string& first :
         {std::string(""), std::string("n,,"), std::string("n,,r=x"), std::string("n,,n=,r="), std::string("x,,n=,r=a"),
          std::string("n,a=b,n=,r=a"), std::string("p=tls-unique,,n=,r=a")}) {
        ScramExchange begun = exchange();
        CHECK_THROWS_AS(begun.answer(first), SqlError);
    }
    for (const std::string& final : {std::string(""), "c=biws,p=" + kProof, "c=eSws" + kFinal.substr(6) + kProof,
                                     "c=biws,r=other,p=" + kProof, kFinal + "*"}) {
        ScramExchange begun = exchange();
        begun.answer(kFirst);
        std::string last;
        CHECK_THROWS_AS(begun.finish(final, last), SqlError);
    }
}
