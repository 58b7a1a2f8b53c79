"""Dates in other notations than ISO, weeks, spans and time zones, judged by datetime and zoneinfo."""

import datetime
import pathlib
import random
import zoneinfo

import pytest

import onefold

PATTERNS = ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%y", "%Y%m%d", "%d-%b-%Y", "%B %d, %Y", "%Y-%j", "%d/%m/%Y %H:%M:%S",
            "%m/%d/%Y %I:%M:%S %p", "%Y-%m-%dT%H:%M:%S.%f", "%a, %d %b %Y %H:%M:%S %z"]
ZONES = ["Europe/Oslo", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia",
         "Europe/Dublin", "America/Nuuk", "UTC"]
has_zones = pytest.mark.skipif(not pathlib.Path("/usr/share/zoneinfo/Europe/Oslo").exists(), reason="no tzdata")


def instants(n, first=1970, last=2068, seed=62):
    r = random.Random(seed)
    begin = datetime.datetime(first, 1, 1)
    seconds = int((datetime.datetime(last, 1, 1) - begin).total_seconds())
    return [begin + datetime.timedelta(seconds=r.randrange(seconds), microseconds=r.choice([0, r.randrange(10**6)]))
            for _ in range(n)]


def table(path, header, rows):
    path.write_text(header + "\n" + "".join(f'"{row}",{i}\n' for i, row in enumerate(rows)))
    return str(path)


def shown(t, clock):
    if not clock:
        return t.strftime("%Y-%m-%d")
    text = t.strftime("%Y-%m-%d %H:%M:%S") + (f".{t.microsecond:06}".rstrip("0") if t.microsecond else "")
    if t.tzinfo is None:
        return text
    offset = t.isoformat()[19 + (7 if t.microsecond else 0):]
    return text + ("Z" if offset == "+00:00" else offset)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_dates_in_a_format_are_those_of_strptime(tmp_path, pattern):
    zone = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    texts = [(t.replace(tzinfo=zone) if "%z" in pattern else t).strftime(pattern) for t in instants(200)]
    keys, answers = onefold.fold("count", table(tmp_path / "t.csv", "d,v", texts), columns="v", by="d", date_format=pattern)
    right = {shown(datetime.datetime.strptime(t, pattern), "%H" in pattern or "%I" in pattern) for t in texts}
    assert set(keys) == right
    assert answers.count.sum() == 200


def test_dates_have_formats_by_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("sold,seen,v\n31/05/2024,1717158659,1\n01/06/2024,1717158660,2\n")
    formats = {"sold": "%d/%m/%Y", "seen": "epoch"}
    assert str(onefold.fold("max", path, columns="sold", date_format="%d/%m/%Y").max) == "2024-06-01"
    assert str(onefold.fold("max", path, columns="sold", date_format=formats).max) == "2024-06-01"
    assert str(onefold.fold("max", path, columns="seen", date_format=formats).max) == "2024-05-31T12:31:00.000000000"
    assert onefold.fold("sum", path, columns="v", where="sold > '2024-05-31'", date_format=formats).sum == 2
    assert str(onefold.agg(path, "max(sold)", date_format=formats)["max(sold)"]) == "2024-06-01"
    assert onefold.median(path, columns="v", where="month(sold) = 6", date_format=formats) == 2
    with pytest.raises(onefold.Error, match=r'is not a date by date_format="%m/%d/%Y"'):
        onefold.fold("sum", path, columns="v", by="sold", date_format={"sold": "%m/%d/%Y"})
    with pytest.raises(onefold.Error, match=r'if it is a date, pass date_format="%d/%m/%Y"'):
        onefold.fold("max", path, columns="sold")


def test_weeks_quarters_and_spans(tmp_path):
    times = instants(300, 1, 9999)
    path = table(tmp_path / "t.csv", "t,v", [f"{t.year:04}-{t.month:02}-{t.day:02} {t.time()}" for t in times])
    for name, right in {"week": lambda t: t.isocalendar()[1], "isoyear": lambda t: t.isocalendar()[0],
                        "quarter": lambda t: (t.month + 2) // 3}.items():
        keys, answers = onefold.fold("max", path, columns="e", by="v", let=f"e = {name}(t)")
        assert {int(k): e for k, e in zip(keys, answers.max)} == dict(enumerate(map(right, times)))
    for span, right in {"week": lambda t: t - datetime.timedelta(t.weekday()), "month": lambda t: t.replace(day=1),
                        "quarter": lambda t: t.replace(month=(t.month - 1) // 3 * 3 + 1, day=1)}.items():
        keys, _ = onefold.fold("max", path, columns="v", by=["v", "e"], let=f"e = date_trunc('{span}', t)")
        assert {int(k): e for k, e in zip(keys["v"], keys["e"])} == {i: str(right(t).date()) for i, t in enumerate(times)}


@has_zones
@pytest.mark.parametrize("name", ZONES)
def test_zones_have_the_offsets_of_zoneinfo(tmp_path, name):
    zone = zoneinfo.ZoneInfo(name)
    times = [t.replace(microsecond=0, tzinfo=datetime.timezone.utc) for t in instants(200, 1900, 2100) + instants(20, 2, 9998)]
    path = table(tmp_path / "t.csv", "t,v", [t.isoformat() for t in times])
    keys, _ = onefold.fold("max", path, columns="v", by=["v", "e"], let=f"e = to_zone(t, '{name}')")
    right = {i: shown(t.astimezone(zone), True).replace(f"{t.astimezone(zone).year}-", f"{t.astimezone(zone).year:04}-", 1)
             for i, t in enumerate(times)}
    assert {int(k): e for k, e in zip(keys["v"], keys["e"])} == right


@has_zones
def test_local_times_that_clocks_show_twice_or_never_are_refused(tmp_path):
    def moved(text, to="in_zone(t, 'Europe/Oslo')"):
        keys, _ = onefold.fold("count", table(tmp_path / "t.csv", "t,v", [text]), columns="v", by="e", let=f"e = {to}")
        return keys[0]

    assert moved("2024-07-01 12:00") == "2024-07-01 12:00:00+02:00"
    assert moved("2024-07-01 10:00Z", "to_zone(t, 'Europe/Oslo')") == "2024-07-01 12:00:00+02:00"
    assert moved("2024-07-01 22:00Z", "date_trunc('day', to_zone(t, 'Europe/Oslo'))") == "2024-07-02"
    for text, to, why in [("2024-10-27 02:30", "in_zone(t, 'Europe/Oslo')", "occurs twice .* such as 2024-10-27 02:30:00.02:00"),
                          ("2024-03-31 02:30", "in_zone(t, 'Europe/Oslo')", "does not exist"),
                          ("2024-07-01 12:00Z", "in_zone(t, 'Europe/Oslo')", "already has a time zone"),
                          ("2024-07-01 12:00", "to_zone(t, 'Europe/Oslo')", "has no time zone"),
                          ("2024-07-01 12:00Z", "to_zone(t, 'Oslo')", "not a time zone"),
                          ("9999-12-31 23:59Z", "to_zone(t, 'Europe/Oslo')", "outside the years 0 to 9999")]:
        with pytest.raises(onefold.Error, match=why):
            moved(text, to)
