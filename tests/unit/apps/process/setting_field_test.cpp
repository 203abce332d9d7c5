#include "apps/process/setting_field.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;
using Catch::Contains;

namespace {

// Assigns the string and returns what the field then prints.
std::string reprinted(const SettingField& field, const std::string& string) {
    NodeSettings settings;
    field.assign(settings, "aSetting", string);
    return field.print(settings);
}

std::string refusal(const SettingField& field, const std::string& string) {
    NodeSettings settings;
    const std::string before = field.print(settings);
    try {
        field.assign(settings, "aSetting", string);
    } catch (const UserError& error) {
        CHECK(field.print(settings) == before);
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a number outside of its range is refused with the bounds") {
    const SettingField field = numberField(placeOf(&NodeSettings::port), 1, 10);
    CHECK(reprinted(field, "10") == "10");
    for (const char* string : {"0", "11", "1.5", "", "10 ", "0x5"})
        CHECK(refusal(field, string) ==
              "aSetting must be a number from 1 to 10, but it is '" + std::string(string) + "'.");
}

TEST_CASE("a number below its range stands for none") {
    const SettingField field = numberField(placeOf(&NodeSettings::linePort), 0, 65535);
    CHECK(field.print(NodeSettings()).empty());
    CHECK(reprinted(field, "0") == "0");
}

TEST_CASE("a flag is true, false, 1 or 0 and printed as its kind says") {
    const SettingField words = flagField(placeOf(&NodeSettings::dev));
    const SettingField digits = digitField(placeOf(&NodeSettings::dev));
    CHECK(reprinted(words, "1") == "true");
    CHECK(reprinted(words, "false") == "false");
    CHECK(reprinted(digits, "true") == "1");
    CHECK(reprinted(digits, "0") == "0");
    CHECK(refusal(words, "yes") == "aSetting must be true or false, but it is 'yes'.");
}

TEST_CASE("sizes in units of MB and GB are kept as bytes") {
    const SettingField megabytes = megabytesField(placeOf(&NodeSettings::maxRequestBytes));
    const SettingField gigabytes = gigabytesField(placeOf(&NodeSettings::maxRequestBytes));
    NodeSettings settings;
    megabytes.assign(settings, "aSetting", "512");
    CHECK(settings.maxRequestBytes == int64_t{512} << 20);
    CHECK(gigabytes.print(settings) == "0.5");
    gigabytes.assign(settings, "aSetting", "0.25");
    CHECK(megabytes.print(settings) == "256");
    for (const char* string : {"-1", "much", "nan", "2000000"})
        CHECK_THAT(refusal(gigabytes, string), Contains("aSetting must be a number of GB"));
}

TEST_CASE("a share lies above 0 and does not pass 1") {
    const SettingField field = shareField(placeOf(&NodeSettings::maxMemoryGigabytes));
    CHECK(reprinted(field, "0.97") == "0.97");
    CHECK(reprinted(field, "1") == "1");
    for (const char* string : {"0", "1.01", "97%"}) CHECK_THAT(refusal(field, string), Contains("a share between"));
}

TEST_CASE("a list leaves blanks around its names and empty names out") {
    const SettingField field = listField(placeOf(&NodeSettings::allowedHosts));
    CHECK(reprinted(field, "a, b ,,c d") == "a,b,c d");
    CHECK(reprinted(field, "").empty());
}

TEST_CASE("a choice is one of its words") {
    const SettingField field = choiceField<bool>(placeOf(&NodeSettings::dev), {{"wait", false}, {"fail", true}});
    CHECK(field.values == "wait, fail");
    CHECK(reprinted(field, "fail") == "fail");
    CHECK(refusal(field, "true") == "The setting aSetting must be wait or fail, but it is true.");
}
