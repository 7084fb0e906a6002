// Keeps what has the keyboard in view: scrolls the Flickable in `area` that it lies in.
import QtQuick
import QtQuick.Window
import Inglenook

QtObject {
    id: follower

    required property Item area
    readonly property Item focused: area.visible && area.Window.window ? area.Window.activeFocusItem : null

    onFocusedChanged: {
        let place = focused;
        while (place && place !== area && !(place instanceof Flickable))
            place = place.parent;
        if (!(place instanceof Flickable) || place === focused)
            return;
        let within = place;
        while (within && within !== area)
            within = within.parent;
        if (!within)
            return;
        const top = focused.mapToItem(place.contentItem, 0, 0).y;
        if (top < place.contentY || top + focused.height > place.contentY + place.height)
            place.contentY = Math.max(0, Math.min(top - Theme.l, place.contentHeight - place.height));
    }
}
