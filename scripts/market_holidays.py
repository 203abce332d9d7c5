#!/usr/bin/env python3
"""Writes common/time/market_holidays.cpp: the weekdays on which markets are closed, by market and year.

    python3 -m venv VENV; VENV/bin/pip install exchange_calendars chinesecalendar "pandas<3"; VENV/bin/python scripts/market_holidays.py

Sources: PyPI exchange_calendars (what exchanges announced and the rules of their holidays) and chinesecalendar (what the State
Council announced, with the days of weekends that are worked). Run it once a year, when next year's holidays are known."""
import datetime
from pathlib import Path

import chinese_calendar
import exchange_calendars
import pandas

LAST = "2026-12-31"
MARKETS = ("AIXK ASEX BVMF CMES IEPA XAMS XASX XBKK XBOG XBOM XBRU XBSE XBUD XBUE XCBF XCSE XDUB XETR XFRA XHEL XHKG XICE XIDX XIST XJSE XKAR XKLS "
           "XKRX XLIM XLIS XLON XMAD XMEX XMIL XMOS XNZE XOSL XPAR XPHS XPRA XSES XSGO XSHG XSTO XSWX XTAI XTKS XTSE XWAR XWBO").split()
# Markets of mainland China close together: the codes and short names of each, and its first year.
CHINA = {"XSHE": 1991, "SSE": 1991, "SZSE": 1991, "CCFX": 2006, "CFFEX": 2006, "XSGE": 1992, "SHFE": 1992, "XZCE": 1991, "CZCE": 1991, "XDCE": 1994, "DCE": 1994,
         "XINE": 2017, "INE": 2017}

HEAD = """// Written by scripts/market_holidays.py.
#include "common/time/market_holidays.h"

namespace pelorus {

// clang-format off
const std::string_view kMarketHolidays = R"(
"""
TAIL = """)";
// clang-format on

}  // namespace pelorus
"""


def closed_weekdays(market):
    start = "1991-01-01" if market == "XSHG" else "2004-01-01"
    try:
        bound = exchange_calendars.calendar_utils._default_calendar_factories[market].bound_min()
        start = max(start, str(bound.date())) if bound is not None else start
    except NotImplementedError:
        pass
    calendar = exchange_calendars.get_calendar(market, start=start, end=LAST)
    return [day.date() for day in pandas.date_range(calendar.first_session, LAST, freq="B") if day not in calendar.sessions]


def interbank_days():
    """China's interbank market also trades on the days of weekends that are worked in place of others."""
    day, last, days = min(chinese_calendar.constants.holidays), datetime.date.fromisoformat(LAST), []
    while day <= last:
        if chinese_calendar.is_workday(day):
            days.append(day)
        day += datetime.timedelta(1)
    return days


def main():
    lines = []

    def write(name, kind, days):
        lines.append(f"{name} {kind}")
        for year in sorted({day.year for day in days}):
            lines.append(f"{year} " + " ".join(f"{day:%m%d}" for day in days if day.year == year))

    for market in MARKETS:
        write(market, "holidays", closed_weekdays(market))
    for name, first in CHINA.items():
        lines.append(f"{name} as XSHG from {first}")
    write("CFET", "tradingDays", interbank_days())
    target = Path(__file__).resolve().parent.parent / "common/time/market_holidays.cpp"
    target.write_text(HEAD + "\n".join(lines) + "\n" + TAIL)
    print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
