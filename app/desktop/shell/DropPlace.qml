// Takes files and pictures that are dropped anywhere on the window, and says so while they hang over it.
import QtQuick
import Inglenook

DropArea {
    id: place

    signal filesDropped(var files)
    /// Its bytes, as they are in a file.
    signal pictureDropped(var bytes)

    /// Of a picture that is no file, as browsers hand them over; empty: there is none.
    function typeOf(drag: var): string {
        if (drag.urls.some(url => String(url).startsWith("file:")))
            return "";
        return drag.formats.find(type => ["image/png", "image/jpeg", "image/webp"].includes(type)) ?? "";
    }

    onEntered: drag => drag.accepted = drag.hasUrls || typeOf(drag).length > 0
    onDropped: drop => {
        const type = typeOf(drop);
        if (type.length > 0)
            place.pictureDropped(drop.getDataAsArrayBuffer(type));
        else
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
