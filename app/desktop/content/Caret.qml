// Where text is being added.
import QtQuick
import Inglenook

Rectangle {
    required property TextEdit text

    function place() {
        const end = text.positionToRectangle(text.length);
        x = end.x + 2;
        y = end.y + (end.height - height) / 2;
    }

    width: 3
    height: Math.round(text.font.pixelSize * 1.1)
    radius: 1
    color: Theme.softAccent
    Component.onCompleted: place()
}
