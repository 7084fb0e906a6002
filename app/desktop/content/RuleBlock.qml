// A line across the column.
import QtQuick
import Inglenook

BlockFrame {
    id: rule

    bodyHeight: 1 + Theme.m
    Accessible.role: Accessible.Separator

    Rectangle {
        y: Theme.m / 2
        width: rule.bodyWidth
        height: 1
        color: rule.selected.x < rule.selected.y ? Theme.accent : Theme.line
    }
}
