#include "streaming/publication/publications.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/function/principal.h"
#include "tests/unit/streaming/publication/published_feed.h"

using namespace pelorus;

TEST_CASE("what a connection offers is found by its request, and a publication that nobody takes ends with it") {
    Feed feed;
    Request request(Principal::owner());
    REQUIRE_FALSE(feed.all.offerOf(request));
    {
        Publications::Offer offer(feed.all, request, {.host = "here", .port = 7, .takesMessages = true});
        REQUIRE(feed.all.offerOf(request) == &offer);
        REQUIRE(offer.client().port == 7);
        offer.take(feed.subscribe(0));
        REQUIRE(feed.all.all().size() == 1);
    }
    REQUIRE_FALSE(feed.all.offerOf(request));
    REQUIRE(feed.all.all().empty());
}

TEST_CASE("a publication whose subscriber has left can be closed for a table that shall go") {
    Feed feed;
    const auto gone = feed.subscribe(0), here = feed.subscribe(0);
    gone->attach([] {}, [] { return true; });
    here->attach([] {}, [] { return false; });
    feed.all.closeLeft(*feed.table);
    REQUIRE(gone->isClosed());
    REQUIRE_FALSE(here->isClosed());
    feed.all.stop();
    REQUIRE(here->isClosed());
    REQUIRE_THROWS_AS(feed.subscribe(0), UserError);
}
