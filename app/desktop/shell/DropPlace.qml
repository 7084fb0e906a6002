// Takes files that are dropped anywhere on the window, and says so while they hang over it.
import QtQuick
import Inglenook

DropArea {
    id: place

    signal filesDropped(var files)

    onEntered: drag => drag.accepted = drag.hasUrls
    onDropped: drop => {
        place.filesDropped(drop.urls);
        drop.accept();
    }

    Rectangle {
        anchors.fill: parent
        visible: place.containsDrag
        color: Theme.scrim

        Rectangle {
            anchors.centerIn: parent
            width: words.implicitWidth + 2 * Theme.xxl
            height: words.implicitHeight + 2 * Theme.xl
            radius: Theme.largeRadius
            color: Theme.popup

            Text {
                id: words
                textFormat: Text.PlainText
                anchors.centerIn: parent
                text: qsTr("Drop to open")
                color: Theme.text
                font.pixelSize: Theme.headingSize(2)
            }
        }
    }
}
