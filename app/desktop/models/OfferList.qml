// Models that could be used: kept by other programs on this disk, recommended for this computer, and all others.
import QtQuick
import Inglenook

ListView {
    id: list

    required property ModelOffers offers
    required property string filter
    required property DesktopPortal portal

    signal opened(string path)

    implicitHeight: contentHeight
    visible: count > 0
    interactive: false
    spacing: Theme.m
    model: offers
    cacheBuffer: 1 << 16  // all are made: the page scrolls, not the list
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Models that could be used")
    section.property: "section"
    section.delegate: SectionHeading {}
    delegate: ModelOfferRow {
        width: ListView.view.width
        offers: list.offers
        portal: list.portal
        shown: list.filter.length === 0 || name.toLowerCase().includes(list.filter.trim().toLowerCase())
        onOpened: path => list.opened(path)
    }
}
