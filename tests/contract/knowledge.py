"""What a seat can know of hidden cards, held against what it is shown."""


def check(driver, seat, state):
    """Hold what *seat* can know against its state."""
    known = driver.ask("GET", "/knowledge", seat, status=200).json
    if known["version"] != state["version"]:
        return  # bots of other processes have moved on
    kitty, you = known["kitty"], state["you"]
    own = [*you["hand"], *(you["kitty"]["cards"] if you["kitty"] else ())]
    deck = state["rules"]["derived"]["deck_size"]
    assert len(known["played"]) + len(known["unseen"]) + len(own) == deck
    assert [one["hand_size"] for one in known["seats"]] == [
        one["hand_size"] for one in state["seats"] if one["seat"] != seat
    ]
    places = {card: where["seats"] for card, where in known["can_hold"].items()}
    assert set(places) == set(known["unseen"])
    for other in known["seats"]:
        held = {card for card in places if other["seat"] in places[card]}
        assert set(other["holds"]) <= held
        assert not {card[1] for card in held} & set(other["void"])
    assert (
        not set(kitty["holds"])
        - set(own)
        - {card for card, where in known["can_hold"].items() if where["kitty"]}
    )
