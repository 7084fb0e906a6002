// The models of the library, below each other.
import QtQuick
import Inglenook

ListView {
    id: list

    required property ModelLibrary library
    required property string filter
    required property string chosen

    signal picked(string modelId)
    signal used(string modelId)

    function takeFocus() {
        if (currentIndex < 0)
            currentIndex = 0;
        forceActiveFocus(Qt.TabFocusReason);
    }

    implicitHeight: contentHeight
    visible: count > 0
    interactive: false
    spacing: 0
    keyNavigationEnabled: true
    activeFocusOnTab: true
    model: library
    cacheBuffer: 1 << 16  // all are made: the page scrolls, not the list
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Your models")
    section.property: "place"
    section.delegate: SectionHeading {}
    delegate: ModelRow {
        width: ListView.view.width
        shown: list.filter.length === 0 || name.toLowerCase().includes(list.filter.trim().toLowerCase())
        chosen: modelId === list.chosen
        onClicked: list.picked(modelId)
        onUsed: list.used(modelId)
        onForgotten: list.library.forget(modelId)
    }
}
