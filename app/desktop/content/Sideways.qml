// Shows what is wider than it: the wheel with Shift, a horizontal wheel, the bar and the arrow keys scroll it.
import QtQuick
import QtQuick.Templates as T
import Inglenook

Flickable {
    id: area

    /// Where it stands; whoever shows it keeps that.
    property real scrolledTo: 0
    property bool barShown: true
    readonly property real end: Math.max(0, contentWidth - width)

    signal scrolled(real x)

    function scrollBy(distance: real) {
        scrolled(Math.max(0, Math.min(end, contentX + distance)));
    }

    clip: true
    // The mouse selects text.
    interactive: false
    activeFocusOnTab: end > 0
    onScrolledToChanged: contentX = Math.min(scrolledTo, end)
    onContentWidthChanged: contentX = Math.min(scrolledTo, end)
    // By the bar.
    onContentXChanged: if (bar.pressed && contentX !== scrolledTo) scrolled(contentX)
    Keys.onLeftPressed: event => {
        event.accepted = event.modifiers === Qt.NoModifier && end > 0;
        if (event.accepted)
            scrollBy(-Theme.xxl);
    }
    Keys.onRightPressed: event => {
        event.accepted = event.modifiers === Qt.NoModifier && end > 0;
        if (event.accepted)
            scrollBy(Theme.xxl);
    }
    T.ScrollBar.horizontal: ScrollThumb {
        id: bar
        policy: area.barShown ? T.ScrollBar.AsNeeded : T.ScrollBar.AlwaysOff
    }

    MouseArea {
        parent: area
        z: -1  // the bar is above it
        anchors.fill: parent
        acceptedButtons: Qt.NoButton
        onWheel: wheel => {
            const turned = wheel.angleDelta.x !== 0 ? wheel.angleDelta.x
                : (wheel.modifiers & Qt.ShiftModifier) ? wheel.angleDelta.y : 0;
            wheel.accepted = turned !== 0 && area.end > 0;
            if (wheel.accepted)
                area.scrollBy(-turned / 2);
        }
    }
    FocusRing {
        parent: area
        shown: area.activeFocus
    }
}
